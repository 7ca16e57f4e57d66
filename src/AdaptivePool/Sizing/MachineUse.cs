namespace AdaptivePool.Sizing;

/// <summary>
/// CPU use added up, each moment for less the longer ago it is: one window of 30 ms beside a busy server reads 0 to 0.3 cores of idle time at the same load,
/// and a step taken on such a reading opened connections that nobody needed. There is one for all classes; what came since a moment is a difference of two.
/// </summary>
/// <param name="At">Time of the last reading.</param>
/// <param name="OwnSeconds">CPU time of the own process.</param>
/// <param name="IdleSeconds">Idle CPU time of the allowed cores.</param>
/// <param name="Seconds">Time for which both are known.</param>
internal readonly record struct MachineUse(TimeSpan At, double OwnSeconds, double IdleSeconds, double Seconds)
{
    // Half a second holds 17 windows of the idle counters.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(0.5);

    // Less is rounding.
    private const double LeastSeconds = 1e-6;

    /// <summary>What is known with one more reading.</summary>
    /// <param name="now">Its time.</param>
    /// <param name="m">The reading.</param>
    public MachineUse With(TimeSpan now, in MachineObservation m)
    {
        // A pause says nothing of now: what was known before it fades like everything else.
        double keep = KeptUntil(now);
        double weight = m.Known ? Math.Min((now - At).TotalSeconds, s_memory.TotalSeconds) : 0;
        return new(now, (keep * OwnSeconds) + (weight * m.OwnCores), (keep * IdleSeconds) + (weight * m.IdleCores), (keep * Seconds) + weight);
    }

    /// <summary>A reading with the mean use in its place; the reading itself where nothing else is known.</summary>
    /// <param name="m">The reading.</param>
    /// <param name="earlier">What was known before: it belongs to another size.</param>
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
