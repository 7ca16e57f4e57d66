using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>What the dispatch benchmarks share: our pool, created once per process, and a number of items per invocation.</summary>
[MemoryDiagnoser]
[ThreadingDiagnoser]
[Config(typeof(DispatchConfig))]
public abstract class DispatchBenchmarkBase
{
    /// <summary>Items per invocation; a power of two.</summary>
    protected const int Items = 1 << 17;

    /// <summary>The pool under test; null before the setup.</summary>
    protected AdaptiveThreadPool Pool { get; private set; } = null!;

    /// <summary>Creates the pool.</summary>
    [GlobalSetup]
    public void CreatePool() => Pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "benchmark" });

    /// <summary>Drains and ends the pool.</summary>
    [GlobalCleanup]
    public void DisposePool() => Pool.Dispose();
}
