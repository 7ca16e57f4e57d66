using MathNet.Numerics.Distributions;

namespace AdaptivePool.Control;

/// <summary>
/// Chooses the next size to try: the one whose expected improvement (Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box
/// functions", 1998) is greatest in relation to the cost of the trial. The deviation that counts is the part which a number of periods can resolve (the
/// knowledge gradient of Frazier, Powell and Dayanik, 2008). Otherwise small steps, which are never told apart from noise, would be tried for ever.
/// </summary>
internal static class ProbeRule
{
    // Periods that a question may take, found by simulation. 8 gives up too early on smooth tops. Without a bound small steps are tried for ever.
    private const double Patience = 20;

    // Costs of a trial, in logarithm of throughput: the cost of any trial, and that of each standard deviation of the gain, which may be worse than believed.
    private const double TrialCost = 0.04;
    private const double RiskCost = 0.1;

    // When the machine is used up a gain by more threads is unlikely.
    private const double GainWhenFull = 0.01;
    private const double DeviationWhenFull = 0.02;

    // The accuracy of the gain that the model N / utilisation predicts.
    private const double ModelDeviation = 0.15;

    // Longest trial upwards where few threads allow more than the usual ratio. It is far enough to see across a dip of the curve.
    private const double LookAheadRatio = 4;

    /// <summary>Chooses the next size to try.</summary>
    /// <param name="belief">The belief about the curve.</param>
    /// <param name="situation">The state of the search.</param>
    /// <param name="options">The options.</param>
    public static Probe Choose(CurveBelief belief, in ProbeSituation situation, HillClimbingOptions options)
    {
        int size = situation.Base;
        int low = Math.Max(situation.Min, (int)Math.Ceiling(size / options.MaxDownRatio));
        int high = Highest(situation, options);
        var best = new Probe(size, 0);
        double score = 0;
        for (int i = CurveGrid.NodeAtOrAbove(low); i < CurveGrid.Sizes.Length && CurveGrid.Sizes[i] < high; i++)
        {
            Compare(CurveGrid.Sizes[i], belief, situation, options, ref best, ref score);
        }

        Compare(high, belief, situation, options, ref best, ref score);
        return best;
    }

    private static int Highest(in ProbeSituation situation, HillClimbingOptions options)
    {
        double size = situation.Base;
        double few = Math.Min(LookAheadRatio * size, options.LookAheadPerCore * situation.Cores);
        double high = Math.Max(Math.Max(options.MaxUpRatio * size, size + 1), Math.Max(few, situation.ModelSize));
        return (int)Math.Min(situation.Max, high);
    }

    private static void Compare(int candidate, CurveBelief belief, in ProbeSituation situation, HillClimbingOptions options, ref Probe best,
        ref double bestScore)
    {
        if (candidate == situation.Base)
        {
            return;
        }

        double ratio = Math.Log((double)candidate / situation.Base);
        (double gain, double deviation) = Expect(belief.Estimate(situation.Base, candidate), ratio, situation, options);
        double utility = gain - (MoveRule.MinElasticity * ratio);
        double resolvable = deviation * deviation / Math.Sqrt((deviation * deviation) + (situation.Noise / Patience));
        double improvement = ExpectedImprovement(utility, resolvable);
        double score = improvement / (TrialCost + Math.Max(0, -gain) + (RiskCost * resolvable));
        if (score > bestScore)
        {
            bestScore = score;
            best = new(candidate, improvement);
        }
    }

    private static (double Gain, double Deviation) Expect(StepEstimate known, double ratio, in ProbeSituation situation, HillClimbingOptions options)
    {
        if (ratio < 0)
        {
            return (known.Gain, known.Deviation);
        }

        if (situation.Utilisation >= options.MaxModelUtilisation)
        {
            return (Math.Min(known.Gain, GainWhenFull), Math.Min(known.Deviation, DeviationWhenFull));
        }

        if (situation.ModelSize <= situation.Base)
        {
            return (known.Gain, known.Deviation);
        }

        // Below the knee throughput is proportional to the size. The promise is weighted by variance against what was measured: the model gives way to
        // measurements.
        double promise = Math.Min(ratio, -Math.Log(situation.Utilisation));
        double own = ModelDeviation * ModelDeviation;
        double measured = known.Deviation * known.Deviation;
        return (((known.Gain * own) + (promise * measured)) / (own + measured), known.Deviation);
    }

    private static double ExpectedImprovement(double mean, double deviation)
    {
        if (!(deviation > 0))
        {
            return Math.Max(0, mean);
        }

        double z = mean / deviation;
        return (deviation * Normal.PDF(0, 1, z)) + (mean * Normal.CDF(0, 1, z));
    }
}
