using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>What an adaptive gate has found out; see <see cref="TransactionGateOptions.Adaptive"/>.</summary>
public sealed record AdaptiveLimitSnapshot
{
    /// <summary>Whether the limit is left alone: see <see cref="TransactionGateOptions.AdaptiveMonitorOnly"/>.</summary>
    public required bool IsMonitorOnly { get; init; }

    /// <summary>
    /// The limit wanted now, in transactions, trials included; in monitor-only mode the one that would have been best, 0 while nothing is known.
    /// </summary>
    public required int Wanted { get; init; }

    /// <summary>The limit that the search stands by, whatever it tries at the moment; in monitor-only mode the same as <see cref="Wanted"/>.</summary>
    public required int Verified { get; init; }

    /// <summary>Why the limit changed last.</summary>
    public required DecisionReason Reason { get; init; }

    /// <summary>What the search is doing, in words; empty before its first decision.</summary>
    public required string State { get; init; }

    /// <summary>
    /// Transactions that ended well per second, in the last sample in which the limit held others back; NaN before there was one. In monitor-only mode of the
    /// last sample.
    /// </summary>
    public required double PerSecond { get; init; }

    /// <summary>Transactions that ended well, passes included.</summary>
    public required long Ended { get; init; }

    /// <summary>Transactions that failed; see <see cref="TransactionLease.HasFailed"/>.</summary>
    public required long Failed { get; init; }

    /// <summary>Changes of the limit; in monitor-only mode those that there would have been.</summary>
    public required long Changes { get; init; }

    /// <summary>Mean number of transactions that the limit wanted would have kept waiting in the last sample, in monitor-only mode; 0 otherwise.</summary>
    public required double WouldWait { get; init; }

    /// <summary>What it knows of other instances before the same database; <see langword="null"/> without <see cref="TransactionGateOptions.Fleet"/>.</summary>
    public GateFleetSnapshot? Fleet { get; init; }

    /// <summary>Handlers of <see cref="TransactionGate.LimitChanged"/> that threw.</summary>
    public required long HandlerFaults { get; init; }
}
