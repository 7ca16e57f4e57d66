namespace AdaptivePool.Admission;

/// <summary>What decides the limit of an adaptive gate, or what it would have been.</summary>
internal interface ILimitPolicy
{
    /// <summary>The limit that was decided last.</summary>
    int Limit { get; }

    /// <summary>The limit that the search has confirmed, whatever it tries at the moment.</summary>
    int Verified { get; }

    /// <summary>
    /// Transactions that ended well per second, in the last sample in which the limit held transactions back; NaN before the first such sample.
    /// </summary>
    double PerSecond { get; }

    /// <summary>Mean number of transactions that the limit would have kept waiting, where it is not in force.</summary>
    double WouldWait => 0;

    /// <summary>Whether the policy must take another look although no transaction has ended.</summary>
    bool MustLook => false;

    /// <summary>
    /// What the policy knows of other gates; <see langword="null"/> where it looks only at its own gate. Many threads may read this at a time: the runtime
    /// publishes the contents with the reference to them.
    /// </summary>
    GateFleetSnapshot? Fleet => null;

    /// <summary>Takes a look at the gate.</summary>
    LimitDecision Observe(in LimitObservation now);
}
