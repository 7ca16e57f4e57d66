using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>A thread outside the pool queues work items that exist already.</summary>
public class ExternalBenchmarks : DispatchBenchmarkBase
{
    private readonly CountedItem _item = new();

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime()
    {
        _item.Expect(Items);
        for (int i = 0; i < Items; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
        }

        _item.Wait();
    }

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive()
    {
        _item.Expect(Items);
        for (int i = 0; i < Items; i++)
        {
            Pool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
        }

        _item.Wait();
    }
}
