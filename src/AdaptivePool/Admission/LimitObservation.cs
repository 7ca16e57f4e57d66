namespace AdaptivePool.Admission;

/// <summary>What the adaptive limit is told about its gate. Counts run from the beginning; only their differences matter.</summary>
internal readonly record struct LimitObservation
{
    /// <summary>The limit held transactions back if at least this share of the transactions let in had to wait, or as many were turned away.</summary>
    private const double BindingShare = 0.8;

    /// <summary>Time since the gate was created.</summary>
    public required TimeSpan Now { get; init; }

    /// <summary>Limit in force; 0 for none.</summary>
    public required int Limit { get; init; }

    /// <summary>Permits held.</summary>
    public required int Held { get; init; }

    /// <summary>How many callers wait.</summary>
    public required int Queued { get; init; }

    /// <summary>Transactions that ended well.</summary>
    public long Ended { get; init; }

    /// <summary>Transactions that failed.</summary>
    public long Failed { get; init; }

    /// <summary>Time that the transactions that ended well were inside, summed, in seconds. It is not known for passes.</summary>
    public double InsideSeconds { get; init; }

    /// <summary>Time that the transactions that failed were inside, summed, in seconds.</summary>
    public double FailedSeconds { get; init; }

    /// <summary>Transactions that ended well whose time inside is known.</summary>
    public long Timed { get; init; }

    /// <summary>Transactions let in, without the transactions past the limit.</summary>
    public required long Admitted { get; init; }

    /// <summary>Those transactions let in that had to wait.</summary>
    public required long AdmittedAfterWait { get; init; }

    /// <summary>Callers that the full gate refused because they had asked not to wait.</summary>
    public long TurnedAway { get; init; }

    /// <summary>Callers that were refused because no more may wait.</summary>
    public long Overflowed { get; init; }

    /// <summary>
    /// Whether the limit held transactions back since an earlier observation: most of the transactions let in had to wait, or as many were turned away. If no
    /// transaction was let in, a caller waits or was turned away.
    /// </summary>
    public bool Binds(in LimitObservation since)
    {
        // The highest count, not the sum: a caller that first asks without waiting, as the rate limiter of ASP.NET Core does, is turned away and then waits
        // or finds no place.
        long waited = AdmittedAfterWait - since.AdmittedAfterWait;
        long refused = Math.Max(TurnedAway - since.TurnedAway, Overflowed - since.Overflowed);
        long heldBack = Math.Max(waited, refused);
        long admitted = Admitted - since.Admitted;
        return heldBack > 0 ? heldBack >= BindingShare * admitted : admitted == 0 && Queued > 0;
    }

    /// <summary>Whether nothing was measured since the last look: no transaction came, or the process stood still.</summary>
    public bool IsInterrupted { get; init; }
}
