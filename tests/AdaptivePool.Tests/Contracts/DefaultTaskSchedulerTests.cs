namespace AdaptivePool.Tests.Contracts;

/// <summary>The runtime's own scheduler keeps the contract: a check of the contract, not of the scheduler.</summary>
public sealed class DefaultTaskSchedulerTests : TaskSchedulerContract
{
    protected override TaskScheduler Scheduler => TaskScheduler.Default;

    protected override SchedulerTraits Traits { get; } = new()
    {
        InlinesOnForeignThreads = true,
        UsesRuntimePool = true,
        IsDefault = true,
        BlockedChainLength = Environment.ProcessorCount + 8,
    };
}
