namespace AdaptivePool.Sizing;

/// <summary>
/// CPU use added up; older moments have less weight. One window of 30 ms beside a busy server reads 0 to 0.3 cores of idle time at the same load, and a step
/// taken on such a reading opened connections that were not needed. There is one instance for all classes. The use since a moment is a difference of two
/// values.
/// </summary>
/// <param name="At">Time of the last reading.</param>
/// <param name="OwnSeconds">CPU time of the own process.</param>
/// <param name="IdleSeconds">Idle CPU time of the allowed cores.</param>
/// <param name="Seconds">Time for which both are known.</param>
internal readonly record struct MachineUse(TimeSpan At, double OwnSeconds, double IdleSeconds, double Seconds)
{
    // Half a second holds 17 windows of the idle counters.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(0.5);

    // A smaller value is rounding.
    private const double LeastSeconds = 1e-6;

    /// <summary>Adds one reading.</summary>
    /// <param name="now">Its time.</param>
    /// <param name="m">The reading.</param>
    public MachineUse With(TimeSpan now, in MachineObservation m)
    {
        // A pause says nothing about the present. Earlier values fade as they do otherwise.
        double keep = KeptUntil(now);
        double weight = m.Known ? Math.Min((now - At).TotalSeconds, s_memory.TotalSeconds) : 0;
        return new(now, (keep * OwnSeconds) + (weight * m.OwnCores), (keep * IdleSeconds) + (weight * m.IdleCores), (keep * Seconds) + weight);
    }

    /// <summary>Returns the reading with the mean use in its place; the reading itself where no mean is known.</summary>
    /// <param name="m">The reading.</param>
    /// <param name="earlier">The use that belongs to the size before.</param>
    public MachineObservation MeanOf(in MachineObservation m, in MachineUse earlier = default)
    {
        double keep = earlier.KeptUntil(At);
        double seconds = Seconds - (keep * earlier.Seconds);
        return !m.Known || seconds < LeastSeconds ? m : m with
        {
            OwnCores = Math.Max(0, OwnSeconds - (keep * earlier.OwnSeconds)) / seconds,
            IdleCores = Math.Max(0, IdleSeconds - (keep * earlier.IdleSeconds)) / seconds,
        };
    }

    private double KeptUntil(TimeSpan now) => Math.Exp(-(now - At) / s_memory);
}
