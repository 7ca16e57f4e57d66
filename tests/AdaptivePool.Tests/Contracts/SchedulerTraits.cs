namespace AdaptivePool.Tests.Contracts;

/// <summary>Where schedulers that keep the contract legitimately differ.</summary>
public sealed record SchedulerTraits
{
    /// <summary>Tasks may run inside Wait, RunSynchronously or SetResult on threads that do not belong to the scheduler.</summary>
    public required bool InlinesOnForeignThreads { get; init; }

    /// <summary>Items run on threads of the runtime's pool.</summary>
    public required bool UsesRuntimePool { get; init; }

    /// <summary>The scheduler is the one where <c>ConfigureAwait(false)</c> and Unwrap continue.</summary>
    public required bool IsDefault { get; init; }

    /// <summary>Workers that may block on each other in a chain and still make progress in reasonable time.</summary>
    public required int BlockedChainLength { get; init; }
}
