using System.Numerics;
using System.Runtime.InteropServices;

namespace AdaptivePool.Control;

/// <summary>
/// The belief about the throughput curve: a Gaussian process over the logarithm of the size (Rasmussen and Williams, "Gaussian Processes for Machine
/// Learning", 2006, chapter 2). The elasticity, per cent of throughput for one per cent of threads, wanders around its prior as an Ornstein-Uhlenbeck
/// process. A reading at one size therefore says much about the neighbours and little about sizes far away. Only ratios of throughput are learned, because
/// its level drifts with everything else on the machine.
/// </summary>
internal sealed class CurveBelief
{
    // The rows of the covariance, and the mean below them, because a reading changes all of them by the same rule.
    private readonly double[] _rows = CurvePrior.Rows.ToArray();

    private static int Count => CurveGrid.Sizes.Length;

    // The index at which the mean begins and the covariance ends.
    private static int MeanAt => Count * Count;

    /// <summary>Forgets everything but the prior, from which the belief starts.</summary>
    public void Reset() => CurvePrior.Rows.CopyTo(_rows);

    /// <summary>Makes the belief less certain and keeps its shape: the earlier estimate is still the best one.</summary>
    /// <param name="share">Share of the way back to the prior's uncertainty, 0 to 1.</param>
    public void Widen(double share) => Mix(_rows.AsSpan(0, MeanAt), 1 - share, CurvePrior.Covariance, share);

    /// <summary>Estimates the gain of a change of size.</summary>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size after, in threads.</param>
    public StepEstimate Estimate(int from, int to)
    {
        Place a = Locate(from);
        Place b = Locate(to);
        double variance = Covariance(b, b) + Covariance(a, a) - (2 * Covariance(a, b));
        return new(Blend(_rows, MeanAt, b) - Blend(_rows, MeanAt, a), Math.Sqrt(Math.Max(0, variance)));
    }

    /// <summary>Learns from one comparison of two sizes (the update of a Kalman filter for a scalar reading).</summary>
    /// <param name="from">One size, in threads.</param>
    /// <param name="to">The other, in threads.</param>
    /// <param name="contrast">Logarithm of the throughput at <paramref name="to"/> over that at <paramref name="from"/>.</param>
    /// <param name="variance">Variance of the reading; over 0.</param>
    public void Observe(int from, int to, double contrast, double variance)
    {
        Place a = Locate(from);
        Place b = Locate(to);
        int count = Count;

        // The gain of the change of size in each row: its covariance with the size of that row, and in the last row the belief about it.
        Span<double> gain = stackalloc double[count + 1];
        for (int i = 0; i <= count; i++)
        {
            gain[i] = Blend(_rows, i * count, b) - Blend(_rows, i * count, a);
        }

        double total = Blend(gain, 0, b) - Blend(gain, 0, a) + variance;
        gain[count] -= contrast;
        for (int i = 0; i <= count; i++)
        {
            Mix(_rows.AsSpan(i * count, count), 1, gain[..count], -(gain[i] / total));
        }
    }

    // target = target * kept + source * added. It uses vectors: the covariance has 7,000 numbers, and this is most of the cost of a step of the search.
    private static void Mix(Span<double> target, double kept, ReadOnlySpan<double> source, double added)
    {
        Span<Vector<double>> targets = MemoryMarshal.Cast<double, Vector<double>>(target);
        ReadOnlySpan<Vector<double>> sources = MemoryMarshal.Cast<double, Vector<double>>(source);
        for (int i = 0; i < targets.Length; i++)
        {
            targets[i] = (targets[i] * kept) + (sources[i] * added);
        }

        for (int i = targets.Length * Vector<double>.Count; i < target.Length; i++)
        {
            target[i] = (target[i] * kept) + (source[i] * added);
        }
    }

    private static Place Locate(int size)
    {
        int node = CurveGrid.NodeAtOrBelow(size);
        double share = CurveGrid.Sizes[node] == size || node == CurveGrid.Sizes.Length - 1
            ? 0
            : (Math.Log(size) - CurveGrid.Logs[node]) / (CurveGrid.Logs[node + 1] - CurveGrid.Logs[node]);
        return new(node, share);
    }

    private static double Blend(ReadOnlySpan<double> values, int offset, Place place)
        => place.Share > 0
            ? ((1 - place.Share) * values[offset + place.Node]) + (place.Share * values[offset + place.Node + 1])
            : values[offset + place.Node];

    private double Covariance(Place a, Place b)
    {
        double lower = Blend(_rows, a.Node * Count, b);
        return a.Share > 0 ? ((1 - a.Share) * lower) + (a.Share * Blend(_rows, (a.Node + 1) * Count, b)) : lower;
    }

    // Between two nodes the curve is a straight line.
    private readonly record struct Place(int Node, double Share);
}
