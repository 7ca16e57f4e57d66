namespace AdaptivePool.Admission;

/// <summary>What <see cref="ControlledDelayPolicy"/> says about a queue.</summary>
internal readonly record struct ControlledDelayVerdict
{
    /// <summary>The one that came last goes first.</summary>
    public required bool NewestFirst { get; init; }

    /// <summary>How long one may wait.</summary>
    public required TimeSpan WaitLimit { get; init; }

    /// <summary>Why one that has waited so long is refused.</summary>
    public required RefusalReason Reason { get; init; }
}
