using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Work items that queue themselves again, locally.</summary>
public class ChainBenchmarks : DispatchBenchmarkBase
{
    /// <summary>Chains at once.</summary>
    [Params(1, 8)]
    public int Chains { get; set; }

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => RunChains(null);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => RunChains(Pool);

    private void RunChains(AdaptiveThreadPool? pool)
    {
        using CountdownEvent ended = new(Chains);
        for (int i = 0; i < Chains; i++)
        {
            new Link(pool, Items / Chains, ended).Queue(preferLocal: false);
        }

        ended.Wait();
    }

    private sealed class Link(AdaptiveThreadPool? pool, int turns, CountdownEvent ended) : IThreadPoolWorkItem
    {
        private int _remaining = turns;

        public void Queue(bool preferLocal)
        {
            if (pool is null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal);
            }
            else
            {
                pool.UnsafeQueueUserWorkItem(this, preferLocal);
            }
        }

        public void Execute()
        {
            if (--_remaining > 0)
            {
                Queue(preferLocal: true);
            }
            else
            {
                ended.Signal();
            }
        }
    }
}
