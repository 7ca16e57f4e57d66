namespace AdaptivePool.Control;

/// <summary>
/// A square wave of sizes. It is read from the middle of its present-size half, so that a period of four samples is A B B A: A is the present size, B the
/// probed one. At this phase a linear drift of throughput adds exactly nothing to the real part of the harmonic ratio.
/// </summary>
/// <param name="Base">The present size, in threads; one or more.</param>
/// <param name="Probe">The size on trial, in threads; the present size for no wave. Seed 000 tries higher sizes only.</param>
/// <param name="Period">Samples in one period; a multiple of 4.</param>
internal readonly record struct WaveShape(int Base, int Probe, int Period)
{
    /// <summary>The lower size, in threads.</summary>
    public int Low => Math.Min(Base, Probe);

    /// <summary>The higher size, in threads; equal to <see cref="Low"/> when the bounds leave no room for a wave.</summary>
    public int High => Math.Max(Base, Probe);

    /// <summary>A wave upwards from the present size by a number of threads.</summary>
    /// <param name="size">The present size, in threads; one or more.</param>
    /// <param name="threads">Height of the wave, in threads.</param>
    /// <param name="period">Samples in one period; a multiple of 4.</param>
    /// <param name="max">Highest size allowed, in threads.</param>
    public static WaveShape Absolute(int size, int threads, int period, int max) => new(size, (int)Math.Min((long)size + threads, Math.Max(max, size)), period);

    /// <summary>Number of the first sample after the probed size.</summary>
    public int AfterProbe => 3 * Period / 4;

    /// <summary>The size of one sample of the period.</summary>
    /// <param name="phase">Number of the sample in its period, from zero.</param>
    public int SizeAt(int phase)
    {
        int quarter = Period / 4;
        return phase >= quarter && phase < AfterProbe ? Probe : Base;
    }

    /// <summary>Returns true when the sample at this place of the period belongs to the probed size.</summary>
    /// <param name="phase">Number of the sample in its period, from zero.</param>
    public bool IsProbe(int phase) => SizeAt(phase) != Base;
}
