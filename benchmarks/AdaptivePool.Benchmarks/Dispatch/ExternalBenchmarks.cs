using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Threads outside the pool queue work items that exist already.</summary>
public class ExternalBenchmarks : DispatchBenchmarkBase
{
    private readonly CountedItem _item = new();

    /// <summary>Threads that queue, the measuring one among them.</summary>
    [Params(1, 4)]
    public int Producers { get; set; }

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => Produce(null);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => Produce(Pool);

    private void Produce(AdaptiveThreadPool? pool)
    {
        int share = Items / Producers;
        _item.Expect(share * Producers);
        for (int i = 1; i < Producers; i++)
        {
            new Thread(() => Queue(pool, share)) { IsBackground = true }.Start();
        }

        Queue(pool, share);
        _item.Wait();
    }

    private void Queue(AdaptiveThreadPool? pool, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (pool is null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
            }
            else
            {
                pool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
            }
        }
    }
}
