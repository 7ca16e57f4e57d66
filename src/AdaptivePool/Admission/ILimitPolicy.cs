namespace AdaptivePool.Admission;

/// <summary>What decides the limit of an adaptive gate, or what it would have been.</summary>
internal interface ILimitPolicy
{
    /// <summary>The limit that was decided last.</summary>
    int Limit { get; }

    /// <summary>The limit that the search stands by, whatever it is trying.</summary>
    int Verified { get; }

    /// <summary>Transactions that ended well per second, in the last sample in which the limit was what held them back; NaN before there was one.</summary>
    double PerSecond { get; }

    /// <summary>Mean number of transactions that the limit would have kept waiting, where it is not in force.</summary>
    double WouldWait => 0;

    /// <summary>Whether it must take another look although no transaction has ended.</summary>
    bool MustLook => false;

    /// <summary>What it knows of other gates; <see langword="null"/> where it looks at its own gate only. Of many threads at a time: the runtime publishes
    /// what it is with the reference to it.</summary>
    GateFleetSnapshot? Fleet => null;

    /// <summary>Takes a look at the gate.</summary>
    LimitDecision Observe(in LimitObservation now);
}
