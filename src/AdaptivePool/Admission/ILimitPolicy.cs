namespace AdaptivePool.Admission;

/// <summary>What decides the limit of an adaptive gate.</summary>
internal interface ILimitPolicy
{
    /// <summary>The limit that was decided last.</summary>
    int Limit { get; }

    /// <summary>The limit that the search stands by, whatever it is trying.</summary>
    int Verified { get; }

    /// <summary>Transactions that ended well per second, in the last sample in which the limit was what held them back; NaN before there was one.</summary>
    double PerSecond { get; }

    /// <summary>Whether it must take another look although no transaction has ended.</summary>
    bool MustLook { get; }

    /// <summary>What it knows of other gates; <see langword="null"/> where it looks at its own gate only.</summary>
    GateFleetSnapshot? Fleet { get; }

    /// <summary>Takes a look at the gate.</summary>
    LimitDecision Observe(in LimitObservation now);
}
