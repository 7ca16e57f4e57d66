namespace AdaptivePool.Guests;

/// <summary>Counts of the requests of a class so far: those that ran on workers, their waits, those that were timed, and guests.</summary>
internal readonly record struct GuestCounts(long Completed, long Waits, long Timed, double Seconds, long Guests)
{
    /// <summary>Requests since, wherever they ran.</summary>
    public long RequestsSince(in GuestCounts before) => Completed - before.Completed + Guests - before.Guests;

    /// <summary>Mean run time of the items timed since, without waits for a core; NaN for none.</summary>
    public double MeanSince(in GuestCounts before) => Timed > before.Timed ? (Seconds - before.Seconds) / (Timed - before.Timed) : double.NaN;
}
