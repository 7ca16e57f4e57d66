namespace AdaptivePool.Simulation.Controllers;

/// <summary>Parameters of the <see cref="SlopeController"/>.</summary>
public sealed record SlopeOptions
{
    /// <summary>Control gain g, more than 0 to 1,000, default 5, as in the founding document. Higher takes longer steps.</summary>
    public double Gain { get; init; } = 5;

    /// <summary>Samples averaged at one size (the formula's m), 2 to 1,000, default 10. Higher is less noisy and slower.</summary>
    public int SamplesPerSize { get; init; } = 10;

    /// <summary>
    /// Completions per second that count as a throughput of one, 1e-6 to 1e9, default 1: the formula as it stands. Its step depends on the unit, since both the
    /// slope and the deviation in the exponent do; a higher value makes noise matter less and steps shorter.
    /// </summary>
    public double ThroughputUnit { get; init; } = 1;

    /// <summary>Length of a sample, 1 ms to 1 hour, default 100 ms. Longer is less noisy and slower.</summary>
    public TimeSpan SampleInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Checks every option against its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range; the message names the option, its value and the range.</exception>
    public void Validate()
    {
        Check(nameof(Gain), Gain, Gain is > 0 and <= 1000, "more than 0 and at most 1000");
        Check(nameof(SamplesPerSize), SamplesPerSize, SamplesPerSize is >= 2 and <= 1000, "2 to 1000");
        Check(nameof(ThroughputUnit), ThroughputUnit, ThroughputUnit is >= 1e-6 and <= 1e9, "1e-6 to 1e9");
        Check(nameof(SampleInterval), SampleInterval, SampleInterval >= TimeSpan.FromMilliseconds(1) && SampleInterval <= TimeSpan.FromHours(1),
            "00:00:00.001 to 01:00:00");
    }

    private static void Check(string name, object value, bool isInside, string range)
    {
        if (!isInside)
        {
            throw new ArgumentOutOfRangeException(name, value, FormattableString.Invariant($"{name} is {value}; it must be {range}."));
        }
    }
}
