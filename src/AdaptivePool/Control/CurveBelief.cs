using System.Numerics;
using System.Runtime.InteropServices;

namespace AdaptivePool.Control;

/// <summary>
/// What is believed of the throughput curve: a Gaussian process over the logarithm of the size (Rasmussen and Williams, "Gaussian Processes for Machine
/// Learning", 2006, chapter 2). The elasticity, per cent of throughput for one per cent of threads, wanders around its prior as an Ornstein-Uhlenbeck process,
/// so that a reading at one size says much about the neighbours and little about sizes far away. Only ratios of throughput are learned: its level drifts with
/// everything else on the machine.
/// </summary>
internal sealed class CurveBelief
{
    // Share of the way back to the prior. The shape of the curve may be the same: most, but not all, of what is known is given up.
    private const double Forgotten = 0.9;

    private readonly double[] _mean = new double[CurvePrior.Mean.Length];
    private readonly double[] _covariance = new double[CurvePrior.Covariance.Length];

    /// <summary>Creates a belief that knows nothing but the prior.</summary>
    public CurveBelief() => Reset();

    /// <summary>Forgets everything.</summary>
    public void Reset()
    {
        CurvePrior.Mean.CopyTo(_mean);
        CurvePrior.Covariance.CopyTo(_covariance);
    }

    /// <summary>Grows less certain and keeps the shape: what was known is still the best guess.</summary>
    /// <param name="share">Share of the way back to the prior's uncertainty, 0 to 1.</param>
    public void Widen(double share)
    {
        Mix(_covariance, 1 - share, CurvePrior.Covariance, share);
    }

    /// <summary>Forgets for the most part: the curve may be another one.</summary>
    public void Forget()
    {
        Widen(Forgotten);
        Mix(_mean, 1 - Forgotten, CurvePrior.Mean, Forgotten);
    }

    /// <summary>What a change of size would bring.</summary>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size after, in threads.</param>
    public StepEstimate Estimate(int from, int to)
    {
        Place a = Locate(from);
        Place b = Locate(to);
        double variance = Covariance(b, b) + Covariance(a, a) - (2 * Covariance(a, b));
        return new(Blend(_mean, 0, b) - Blend(_mean, 0, a), Math.Sqrt(Math.Max(0, variance)));
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
        int count = _mean.Length;
        Span<double> gain = stackalloc double[count];
        for (int i = 0; i < count; i++)
        {
            gain[i] = Blend(_covariance, i * count, b) - Blend(_covariance, i * count, a);
        }

        double total = Blend(gain, 0, b) - Blend(gain, 0, a) + variance;
        double surprise = (contrast - (Blend(_mean, 0, b) - Blend(_mean, 0, a))) / total;
        for (int i = 0; i < count; i++)
        {
            double share = gain[i] / total;
            _mean[i] += gain[i] * surprise;
            Mix(_covariance.AsSpan(i * count, count), 1, gain, -share);
        }
    }

    // target = target * kept + source * added. By vectors: the covariance has 7,000 numbers, and this is most of what a step of the search costs.
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
        double lower = Blend(_covariance, a.Node * _mean.Length, b);
        return a.Share > 0 ? ((1 - a.Share) * lower) + (a.Share * Blend(_covariance, (a.Node + 1) * _mean.Length, b)) : lower;
    }

    // Between two nodes the curve is a straight line.
    private readonly record struct Place(int Node, double Share);
}
