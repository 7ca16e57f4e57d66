using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Chains of Task.Yield through the pool's context, and through its bare scheduler.</summary>
public class YieldBenchmarks : DispatchBenchmarkBase
{
    /// <summary>Chains at once.</summary>
    [Params(1, 8)]
    public int Chains { get; set; }

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => Task.WaitAll([.. Enumerable.Range(0, Chains).Select(_ => Task.Run(YieldAsync))]);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => Task.WaitAll([.. Enumerable.Range(0, Chains).Select(_ => Pool.Run(YieldAsync))]);

    /// <summary>Our pool, the chains started as tasks of its scheduler.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void AdaptiveScheduler() => Task.WaitAll([.. Enumerable.Range(0, Chains).Select(_ => Pool.Factory.StartNew(YieldAsync).Unwrap())]);

    private async Task YieldAsync()
    {
        for (int i = Items / Chains; i > 0; i--)
        {
            await Task.Yield();
        }
    }
}
