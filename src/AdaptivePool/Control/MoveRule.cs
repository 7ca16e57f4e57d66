namespace AdaptivePool.Control;

/// <summary>
/// Decides whether to leave the present size: upwards on proof, downwards on equivalence. The utility of a size is the logarithm of its throughput less the
/// least elasticity times the logarithm of the size. On a plateau the size of highest utility is the knee, on a peak it is the peak. Because every size is
/// compared on the same scale, many small losses cannot add up unseen.
/// </summary>
internal static class MoveRule
{
    /// <summary>
    /// The per cent of throughput that one per cent more threads must bring: half the threads are worth 0.9 % of throughput. Found by simulation, like the
    /// values below (ADR 7).
    /// </summary>
    public const double MinElasticity = 0.013;

    /// <summary>
    /// Standard deviations by which more threads, and fewer, must be proven to be worth a move; docs/studies/one-search.md has the cost of higher values. The
    /// value is lower for fewer threads, so that the search leaves a plateau.
    /// </summary>
    public static readonly MoveProof Usual = new(1.6, 0.7);

    /// <summary>The same after an alarm at a size at which the search had rested: the work has changed, or noise was taken for a change (ADR 111).</summary>
    public static readonly MoveProof AfterAlarm = new(2.3, 1.3);

    /// <summary>
    /// The proof that another size is better than one at which the search has rested: in minutes of looks at noise, values up to three come by chance. A
    /// lower value is enough downwards: with 3.3 a class stays far up a plateau, and the loss is no smaller.
    /// </summary>
    public static readonly MoveProof AtRest = new(3.3, 2);

    /// <summary>Returns the size to go to, in threads; the present size to stay.</summary>
    /// <param name="belief">The belief about the curve.</param>
    /// <param name="shape">The wave that was read. No move goes beyond the sizes that it tried.</param>
    /// <param name="min">Lowest size allowed, in threads.</param>
    /// <param name="max">Highest size allowed, in threads.</param>
    /// <param name="proof">The proof that a move needs.</param>
    public static int Choose(CurveBelief belief, in WaveShape shape, int min, int max, MoveProof proof)
    {
        int best = shape.Base;
        double bestUtility = 0;
        Compare(shape.Probe, shape.Base, belief, min, max, proof, ref best, ref bestUtility);
        for (int i = CurveGrid.NodeAtOrAbove(shape.Low); i < CurveGrid.Sizes.Length && CurveGrid.Sizes[i] < shape.High; i++)
        {
            Compare(CurveGrid.Sizes[i], shape.Base, belief, min, max, proof, ref best, ref bestUtility);
        }

        return best;
    }

    /// <summary>Utility of a change of size, in logarithm of throughput.</summary>
    /// <param name="gain">Logarithm of throughput after over throughput before.</param>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size after, in threads.</param>
    public static double Utility(double gain, int from, int to) => gain - (MinElasticity * Math.Log((double)to / from));

    private static void Compare(int candidate, int size, CurveBelief belief, int min, int max, MoveProof proof, ref int best, ref double bestUtility)
    {
        if (candidate == size || candidate < min || candidate > max)
        {
            return;
        }

        StepEstimate step = belief.Estimate(size, candidate);
        double utility = Utility(step.Gain, size, candidate);
        double confidence = candidate > size ? proof.Up : proof.Down;
        if (utility > bestUtility && utility > confidence * step.Deviation)
        {
            bestUtility = utility;
            best = candidate;
        }
    }
}
