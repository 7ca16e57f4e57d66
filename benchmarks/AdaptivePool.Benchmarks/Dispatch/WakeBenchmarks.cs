using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>
/// A lone item to a pool that has been idle for 5 ms: time from queueing to its start, as the caller sees it. The idle time is part of the invocation and the
/// same for both pools, so the difference between the two means is the difference in latency; the scenario tool's <c>dispatch --cases wake</c> reports the
/// latency itself with its percentiles.
/// </summary>
public class WakeBenchmarks : DispatchBenchmarkBase
{
    private const int IdleMilliseconds = 5;
    private readonly StartedItem _item = new();

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true)]
    public void Runtime()
    {
        _item.Reset();
        Thread.Sleep(IdleMilliseconds);
        ThreadPool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
        _item.Wait();
    }

    /// <summary>Our pool.</summary>
    [Benchmark]
    public void Adaptive()
    {
        _item.Reset();
        Thread.Sleep(IdleMilliseconds);
        Pool.UnsafeQueueUserWorkItem(_item, preferLocal: false);
        _item.Wait();
    }

    private sealed class StartedItem : IThreadPoolWorkItem
    {
        private int _started;

        public void Reset() => Volatile.Write(ref _started, 0);

        public void Execute() => Volatile.Write(ref _started, 1);

        /// <summary>Yields while waiting: spinning alone would measure the kernel's time slices.</summary>
        public void Wait()
        {
            while (Volatile.Read(ref _started) == 0)
            {
                Thread.Yield();
            }
        }
    }
}
