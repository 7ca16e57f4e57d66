using System.Text.Json;

namespace AdaptivePool.Diagnostics;

/// <summary>One line of a decision log.</summary>
internal sealed record DecisionLogEntry
{
    /// <summary>The kind of the line; decides which of the other members are set.</summary>
    public required DecisionLogKind Kind { get; init; }

    /// <summary>Time since the start of the pool, or of the controller where time is virtual.</summary>
    public required TimeSpan At { get; init; }

    /// <summary>The work class of the controller.</summary>
    public required string ClassName { get; init; }

    /// <summary>Step: the sample that the controller got.</summary>
    public PoolSample? Sample { get; init; }

    /// <summary>Step: the size decided. Reinitialize: the size to start from. In threads.</summary>
    public int Target { get; init; }

    /// <summary>Step: length of the next sample.</summary>
    public TimeSpan NextInterval { get; init; }

    /// <summary>Step and Reinitialize: the reason.</summary>
    public DecisionReason Reason { get; init; }

    /// <summary>Step: the size is only a trial.</summary>
    public bool IsTrial { get; init; }

    /// <summary>Step: the terms behind the decision.</summary>
    public ControllerTrace? Trace { get; init; }

    /// <summary>Dropped: the number of missing lines.</summary>
    public long Count { get; init; }

    /// <summary>The line of a step.</summary>
    /// <param name="at">Time since the start.</param>
    /// <param name="className">The work class.</param>
    /// <param name="sample">The sample that the controller got.</param>
    /// <param name="decision">The decision of the controller.</param>
    public static DecisionLogEntry OfStep(TimeSpan at, string className, in PoolSample sample, in SizeDecision decision) => new()
    {
        Kind = DecisionLogKind.Step,
        At = at,
        ClassName = className,
        Sample = sample,
        Target = decision.Target,
        NextInterval = decision.NextInterval,
        Reason = decision.Reason,
        IsTrial = decision.IsTrial,
        Trace = decision.Trace,
    };

    /// <summary>The entry as a line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, DecisionLogJson.Default.DecisionLogEntry);
}
