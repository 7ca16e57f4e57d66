namespace AdaptivePool.Control;

/// <summary>
/// Whether to leave the present size: upwards on proof, downwards on equivalence. The utility of a size is the logarithm of its throughput less the least
/// elasticity times the logarithm of the size: on a plateau its top is the knee, on a peak it is the peak, and because every size is compared on the same
/// scale, many small losses cannot add up unseen.
/// </summary>
internal static class MoveRule
{
    /// <summary>
    /// The per cent of throughput that one per cent more threads must bring: half the threads are worth 0.9 % of throughput. Found
    /// by simulation, as the two below (ADR 7).
    /// </summary>
    public const double MinElasticity = 0.013;

    /// <summary>Standard deviations by which the gain of more threads must be proven; docs/studies/one-search.md has what higher ones cost.</summary>
    public const double UpConfidence = 1.6;

    /// <summary>Standard deviations by which the worth of fewer threads must be proven; less than for more, so that a plateau is left.</summary>
    public const double DownConfidence = 0.7;

    // Standard deviations that prove that another size is better than one at which the search has rested: looks at noise for minutes come to three by
    // chance. Down less is enough, because with 3.3 a class stays far up a plateau, and the loss is no smaller.
    private const double TrustedUpConfidence = 3.3;
    private const double TrustedDownConfidence = 2;

    /// <summary>The size to go to, in threads; the present one to stay.</summary>
    /// <param name="belief">What is believed of the curve.</param>
    /// <param name="shape">The wave that was read: no move goes beyond the sizes that it tried.</param>
    /// <param name="min">Lowest size allowed, in threads.</param>
    /// <param name="max">Highest size allowed, in threads.</param>
    /// <param name="isTrusted">The search has rested since it began.</param>
    public static int Choose(CurveBelief belief, in WaveShape shape, int min, int max, bool isTrusted)
    {
        (double proof, double down) = isTrusted ? (TrustedUpConfidence, TrustedDownConfidence) : (UpConfidence, DownConfidence);
        int best = shape.Base;
        double bestUtility = 0;
        Compare(shape.Probe, shape.Base, belief, min, max, proof, down, ref best, ref bestUtility);
        for (int i = CurveGrid.NodeAtOrAbove(shape.Low); i < CurveGrid.Sizes.Length && CurveGrid.Sizes[i] < shape.High; i++)
        {
            Compare(CurveGrid.Sizes[i], shape.Base, belief, min, max, proof, down, ref best, ref bestUtility);
        }

        return best;
    }

    /// <summary>Utility of a change of size, in logarithm of throughput.</summary>
    /// <param name="gain">Logarithm of throughput after over throughput before.</param>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size after, in threads.</param>
    public static double Utility(double gain, int from, int to) => gain - (MinElasticity * Math.Log((double)to / from));

    private static void Compare(int candidate, int size, CurveBelief belief, int min, int max, double proof, double down, ref int best, ref double bestUtility)
    {
        if (candidate == size || candidate < min || candidate > max)
        {
            return;
        }

        StepEstimate step = belief.Estimate(size, candidate);
        double utility = Utility(step.Gain, size, candidate);
        double confidence = candidate > size ? proof : down;
        if (utility > bestUtility && utility > confidence * step.Deviation)
        {
            bestUtility = utility;
            best = candidate;
        }
    }
}
