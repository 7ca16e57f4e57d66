using MathNet.Numerics.Interpolation;

namespace AdaptivePool.SeedWave;

/// <summary>
/// Known pairs of size and throughput, and the check whether they still hold (seed 000, "Workload change detection"). A new pair between two known neighbours
/// is compared with their interpolation. Several misses in a row mean that the cost function has changed.
/// </summary>
/// <param name="capacity">Pairs kept, 2 or more; a further one replaces the oldest.</param>
/// <param name="valuableDifference">Deviation from the prediction, as a share of it, that counts as a miss; over 0.</param>
/// <param name="isSpline">Whether a spline makes the prediction.</param>
/// <param name="missesInARow">Misses in a row that mean a change; one or more.</param>
internal sealed class WorkloadMap(int capacity, double valuableDifference, bool isSpline, int missesInARow)
{
    // A cubic through fewer points says no more than the line.
    private const int FewestSplinePoints = 3;

    // In rising order of size.
    private readonly List<(int Size, double Throughput, long Age)> _pairs = [];
    private long _clock;
    private int _misses;

    /// <summary>Number of known pairs.</summary>
    public int Count => _pairs.Count;

    /// <summary>Takes a new pair. Returns true when it is the miss that proves a change of the workload. A pair that misses is not kept.</summary>
    /// <param name="size">Size, in threads.</param>
    /// <param name="throughput">Completions per second at that size.</param>
    public bool Learn(int size, double throughput)
    {
        double expected = Predict(size);
        if (Math.Abs(throughput - expected) > valuableDifference * expected)
        {
            return ++_misses >= missesInARow;
        }

        // A pair without a prediction is neither a hit nor a miss.
        _misses = double.IsNaN(expected) ? _misses : 0;
        Keep(size, throughput);
        return false;
    }

    /// <summary>Returns the throughput expected at a size; not-a-number when the size is not known and not between two known ones.</summary>
    /// <param name="size">Size, in threads.</param>
    public double Predict(int size)
    {
        int at = FirstNotUnder(size);
        if (at < Count && _pairs[at].Size == size)
        {
            return _pairs[at].Throughput;
        }

        if (at == 0 || at == Count)
        {
            return double.NaN;
        }

        if (isSpline && Count >= FewestSplinePoints)
        {
            double[] sizes = [.. _pairs.Select(static pair => (double)pair.Size)];
            return CubicSpline.InterpolatePchipSorted(sizes, [.. _pairs.Select(static pair => pair.Throughput)]).Interpolate(size);
        }

        (int Size, double Throughput, long Age) left = _pairs[at - 1];
        double share = (double)(size - left.Size) / (_pairs[at].Size - left.Size);
        return left.Throughput + (share * (_pairs[at].Throughput - left.Throughput));
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        _pairs.Clear();
        _misses = 0;
    }

    private void Keep(int size, double throughput)
    {
        _pairs.RemoveAll(pair => pair.Size == size);
        if (Count == capacity)
        {
            _pairs.Remove(_pairs.MinBy(static pair => pair.Age));
        }

        _pairs.Insert(FirstNotUnder(size), (size, throughput, ++_clock));
    }

    private int FirstNotUnder(int size) => _pairs.FindIndex(pair => pair.Size >= size) is var found and >= 0 ? found : Count;
}
