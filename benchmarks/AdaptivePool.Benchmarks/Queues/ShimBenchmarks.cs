using AdaptivePool.Internal;
using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Queues;

/// <summary>What the shim costs in production code: the same steps of a queue with the operations of .NET and through <see cref="RealSync"/>. The ratio must be
/// 1.</summary>
[ShortRunJob]
public class ShimBenchmarks
{
    private const int Turns = 1 << 10;
    private readonly Through<RealSync> _through = new();
    private readonly object _item = new();
    private object? _slot;
    private long _sequence;
    private long _head;

    /// <summary>The operations themselves.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Turns)]
    public long Direct()
    {
        for (int i = 0; i < Turns; i++)
        {
            long head = Volatile.Read(ref _head);
            _slot = _item;
            Volatile.Write(ref _sequence, head + 1);
            Interlocked.CompareExchange(ref _head, head + 1, head);
        }

        return _head;
    }

    /// <summary>The same through the shim.</summary>
    [Benchmark(OperationsPerInvoke = Turns)]
    public long Shim() => _through.Run(_item);

    private sealed class Through<TSync>
        where TSync : struct, ISync
    {
        private object? _slot;
        private long _sequence;
        private long _head;

        public long Run(object item)
        {
            for (int i = 0; i < Turns; i++)
            {
                long head = TSync.VolatileRead(ref _head);
                TSync.Write(ref _slot, item);
                TSync.VolatileWrite(ref _sequence, head + 1);
                TSync.CompareExchange(ref _head, head + 1, head);
            }

            return _head;
        }
    }
}
