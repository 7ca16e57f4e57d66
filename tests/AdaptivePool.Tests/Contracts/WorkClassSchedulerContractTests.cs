namespace AdaptivePool.Tests.Contracts;

/// <summary>The contract through the scheduler of a named work class.</summary>
public sealed class WorkClassSchedulerContractTests : TaskSchedulerContract
{
    private readonly WorkClass _class;

    public WorkClassSchedulerContractTests() => _class = CreatePool(new AdaptivePoolOptions { Name = "contract" }).GetClass("partner");

    protected override TaskScheduler Scheduler => _class.Scheduler;

    protected override SchedulerTraits Traits { get; } = new()
    {
        InlinesOnForeignThreads = false,
        UsesRuntimePool = false,
        IsDefault = false,
        BlockedChainLength = Environment.ProcessorCount + 120,
    };
}
