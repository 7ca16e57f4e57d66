namespace AdaptivePool.SeedWave;

/// <summary>The newest samples of the wave: sizes and throughputs side by side, oldest first. Older samples are dropped.</summary>
internal sealed class SampleHistory
{
    private readonly double[] _sizes;
    private readonly double[] _throughputs;

    /// <summary>Creates an empty history.</summary>
    /// <param name="capacity">Samples kept; one or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="capacity"/> is below 1.</exception>
    public SampleHistory(int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        _sizes = new double[capacity];
        _throughputs = new double[capacity];
    }

    /// <summary>Number of samples held now.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a sample. The oldest one is dropped when the history is full.</summary>
    /// <param name="size">Size in force, in threads or its logarithm.</param>
    /// <param name="throughput">Completions per second, or their logarithm.</param>
    public void Add(double size, double throughput)
    {
        if (Count == _sizes.Length)
        {
            // A few dozen numbers at most. Moving them keeps every window contiguous for the analysis.
            Array.Copy(_sizes, 1, _sizes, 0, Count - 1);
            Array.Copy(_throughputs, 1, _throughputs, 0, Count - 1);
            Count--;
        }

        _sizes[Count] = size;
        _throughputs[Count] = throughput;
        Count++;
    }

    /// <summary>Forgets everything.</summary>
    public void Clear() => Count = 0;

    /// <summary>The sizes of the newest samples, oldest first.</summary>
    /// <param name="count">How many; at most <see cref="Count"/>.</param>
    public ReadOnlySpan<double> Sizes(int count) => _sizes.AsSpan(Count - count, count);

    /// <summary>The throughputs of the newest samples, oldest first.</summary>
    /// <param name="count">How many; at most <see cref="Count"/>.</param>
    public ReadOnlySpan<double> Throughputs(int count) => _throughputs.AsSpan(Count - count, count);
}
