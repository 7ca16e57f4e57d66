namespace AdaptivePool.Control;

/// <summary>
/// A square wave of sizes, read from the middle of its present-size half, so that a period of four samples is A B B A: A the present size, B the probed one.
/// At this phase a linear drift of throughput adds exactly nothing to the real part of the harmonic ratio.
/// </summary>
internal readonly record struct WaveShape
{
    private WaveShape(int low, int high, WaveSide side, int period)
    {
        Low = low;
        High = high;
        Side = side;
        Period = period;
    }

    /// <summary>The lower size, in threads.</summary>
    public int Low { get; }

    /// <summary>The higher size, in threads; equal to <see cref="Low"/> when the bounds leave no room for a wave.</summary>
    public int High { get; }

    /// <summary>Which half is the probe.</summary>
    public WaveSide Side { get; }

    /// <summary>Samples in one period; a multiple of 4.</summary>
    public int Period { get; }

    /// <summary>The present size, in threads.</summary>
    public int Base => Side == WaveSide.Down ? High : Low;

    /// <summary>The size tried, in threads.</summary>
    public int Probe => Side == WaveSide.Down ? Low : High;

    /// <summary>ln(<see cref="High"/> / <see cref="Low"/>).</summary>
    public double LogRatio => Math.Log((double)High / Low);

    /// <summary>A wave between two sizes.</summary>
    /// <param name="size">The present size, in threads; one or more.</param>
    /// <param name="probe">The size to try, in threads; the present one for no wave.</param>
    /// <param name="period">Samples in one period; a multiple of 4.</param>
    public static WaveShape Between(int size, int probe, int period)
        => probe < size ? new(probe, size, WaveSide.Down, period) : new(size, probe, WaveSide.Up, period);

    /// <summary>A wave upwards from the present size by a number of threads.</summary>
    /// <param name="size">The present size, in threads; one or more.</param>
    /// <param name="threads">Height of the wave, in threads.</param>
    /// <param name="period">Samples in one period; a multiple of 4.</param>
    /// <param name="max">Highest size allowed, in threads.</param>
    public static WaveShape Absolute(int size, int threads, int period, int max)
        => new(size, (int)Math.Min((long)size + threads, Math.Max(max, size)), WaveSide.Up, period);

    /// <summary>The size of one sample of the period.</summary>
    /// <param name="phase">Number of the sample in its period, from zero.</param>
    public int SizeAt(int phase)
    {
        int quarter = Period / 4;
        return phase >= quarter && phase < 3 * quarter ? Probe : Base;
    }

    /// <summary>True when the sample at this place of the period is one of the probed size.</summary>
    /// <param name="phase">Number of the sample in its period, from zero.</param>
    public bool IsProbe(int phase) => SizeAt(phase) != Base;
}
