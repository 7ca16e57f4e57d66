using MathNet.Numerics.Interpolation;

namespace AdaptivePool.SeedWave;

/// <summary>
/// Known pairs of size and throughput, and the check whether they still hold (seed 000, "Workload change detection"): a new pair between two known neighbours
/// is compared with their interpolation; several misses in a row mean that the cost function is another one.
/// </summary>
internal sealed class WorkloadMap
{
    // A cubic through fewer points says no more than the line.
    private const int FewestSplinePoints = 3;

    private readonly double[] _sizes;
    private readonly double[] _throughputs;
    private readonly long[] _ages;
    private readonly double _valuableDifference;
    private readonly bool _isSpline;
    private readonly int _missesInARow;
    private long _clock;
    private int _misses;

    /// <summary>Creates an empty map.</summary>
    /// <param name="capacity">Pairs kept, 2 or more; a further one replaces the oldest.</param>
    /// <param name="valuableDifference">Deviation from the prediction, as a share of it, that is a miss; over 0.</param>
    /// <param name="isSpline">Whether the prediction is made by a spline.</param>
    /// <param name="missesInARow">Misses in a row that mean a change; one or more.</param>
    public WorkloadMap(int capacity, double valuableDifference, bool isSpline, int missesInARow)
    {
        _sizes = new double[capacity];
        _throughputs = new double[capacity];
        _ages = new long[capacity];
        _valuableDifference = valuableDifference;
        _isSpline = isSpline;
        _missesInARow = missesInARow;
    }

    /// <summary>Pairs known.</summary>
    public int Count { get; private set; }

    /// <summary>Takes a new pair; true when it is the miss that proves the workload changed. A pair that misses is not kept.</summary>
    /// <param name="size">Size, in threads.</param>
    /// <param name="throughput">Completions per second at that size.</param>
    public bool Learn(int size, double throughput)
    {
        double expected = Predict(size);
        if (Math.Abs(throughput - expected) > _valuableDifference * expected)
        {
            return ++_misses >= _missesInARow;
        }

        // A pair that nothing predicts is neither a hit nor a miss.
        _misses = double.IsNaN(expected) ? _misses : 0;
        Keep(size, throughput);
        return false;
    }

    /// <summary>Throughput expected at a size; not-a-number when it is not between two known ones (or one itself).</summary>
    /// <param name="size">Size, in threads.</param>
    public double Predict(int size)
    {
        int right = FirstNotUnder(size);
        if (right < Count && _sizes[right] == size)
        {
            return _throughputs[right];
        }

        if (right == 0 || right == Count)
        {
            return double.NaN;
        }

        if (_isSpline && Count >= FewestSplinePoints)
        {
            return CubicSpline.InterpolatePchipSorted(_sizes[..Count], _throughputs[..Count]).Interpolate(size);
        }

        double share = (size - _sizes[right - 1]) / (_sizes[right] - _sizes[right - 1]);
        return _throughputs[right - 1] + (share * (_throughputs[right] - _throughputs[right - 1]));
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Count = 0;
        _misses = 0;
    }

    private void Keep(int size, double throughput)
    {
        int at = FirstNotUnder(size);
        if (at == Count || _sizes[at] != size)
        {
            if (Count == _sizes.Length)
            {
                RemoveAt(Array.IndexOf(_ages, _ages.Min()));
                at = FirstNotUnder(size);
            }

            Shift(at, at + 1, Count - at);
            Count++;
        }

        _sizes[at] = size;
        _throughputs[at] = throughput;
        _ages[at] = ++_clock;
    }

    private void RemoveAt(int index)
    {
        Count--;
        Shift(index + 1, index, Count - index);
    }

    private void Shift(int from, int to, int length)
    {
        Array.Copy(_sizes, from, _sizes, to, length);
        Array.Copy(_throughputs, from, _throughputs, to, length);
        Array.Copy(_ages, from, _ages, to, length);
    }

    private int FirstNotUnder(int size)
    {
        int index = Array.BinarySearch(_sizes, 0, Count, size);
        return index >= 0 ? index : ~index;
    }
}
