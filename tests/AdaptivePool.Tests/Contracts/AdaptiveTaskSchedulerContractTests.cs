namespace AdaptivePool.Tests.Contracts;

/// <summary>The contract on a pool with default options, through its default class.</summary>
public sealed class AdaptiveTaskSchedulerContractTests : TaskSchedulerContract
{
    private readonly AdaptiveThreadPool _pool;

    public AdaptiveTaskSchedulerContractTests() => _pool = CreatePool(new AdaptivePoolOptions { Name = "contract" });

    protected override TaskScheduler Scheduler => _pool.Scheduler;

    protected override SchedulerTraits Traits { get; } = new()
    {
        InlinesOnForeignThreads = false,
        UsesRuntimePool = false,
        IsDefault = false,
        BlockedChainLength = Environment.ProcessorCount + 120,
    };
}
