namespace AdaptivePool.Admission;

/// <summary>What a gate knows of the others before its database; see <see cref="TransactionGateOptions.Fleet"/>.</summary>
public sealed record GateFleetSnapshot
{
    /// <summary>Gates that are seen, this one included.</summary>
    public required int Instances { get; init; }

    /// <summary>The limit of all together, in transactions, trials included.</summary>
    public required int Total { get; init; }

    /// <summary>Whether this gate is the one that looks for that limit: the eldest.</summary>
    public required bool IsSearching { get; init; }

    /// <summary>Whether the others could not be seen at the last look, so that the limit stays as it is.</summary>
    public required bool IsBlind { get; init; }

    /// <summary>Why they could not; <see langword="null"/> when they could.</summary>
    public string? Failure { get; init; }
}
