namespace AdaptivePool.Tests.Contracts;

/// <summary>The contract on the portable paths, which Windows and macOS take.</summary>
public sealed class PortableSystemContractTests : TaskSchedulerContract
{
    private readonly AdaptiveThreadPool _pool;

    public PortableSystemContractTests() => _pool = CreatePool(new AdaptivePoolOptions { Name = "portable" }, PortableSystem.Surroundings(Budget));

    protected override TaskScheduler Scheduler => _pool.Scheduler;

    protected override SchedulerTraits Traits { get; } = new()
    {
        InlinesOnForeignThreads = false,
        UsesRuntimePool = false,
        IsDefault = false,
        BlockedChainLength = Environment.ProcessorCount + 120,
    };
}
