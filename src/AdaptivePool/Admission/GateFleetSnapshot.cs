namespace AdaptivePool.Admission;

/// <summary>What a gate knows about the other gates before its database; see <see cref="TransactionGateOptions.Fleet"/>.</summary>
public sealed record GateFleetSnapshot
{
    /// <summary>The number of gates that this gate sees, including itself.</summary>
    public required int Instances { get; init; }

    /// <summary>The limit of all gates together, in transactions, including trials.</summary>
    public required int Total { get; init; }

    /// <summary>Whether this gate searches for that limit. The oldest gate does.</summary>
    public required bool IsSearching { get; init; }

    /// <summary>Whether the gate could not see the others at its last look, so the limit stays unchanged.</summary>
    public required bool IsBlind { get; init; }

    /// <summary>Why the gate could not see the others; <see langword="null"/> if it could.</summary>
    public string? Failure { get; init; }
}
