using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Blocking;

/// <summary>What the wait hook and blocking scopes cost where nothing has to be done for anybody: a wait that is over at once, an uncontended lock, a short
/// scope.</summary>
[MemoryDiagnoser]
[ShortRunJob]
public class WaitHookBenchmarks
{
    private const int Operations = 1 << 16;
    private readonly AutoResetEvent _signal = new(false);
    private readonly Lock _gate = new();
    private AdaptiveThreadPool _pool = null!;
    private int _value;

    /// <summary>Where the operations run: on a plain thread of the runtime's pool, or on a worker of ours.</summary>
    [Params(false, true)]
    public bool OnWorker { get; set; }

    /// <summary>Creates the pool.</summary>
    [GlobalSetup]
    public void CreatePool() => _pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "benchmark" });

    /// <summary>Drains and ends the pool.</summary>
    [GlobalCleanup]
    public void DisposePool()
    {
        _pool.Dispose();
        _signal.Dispose();
    }

    /// <summary>A wait for an event that is set: it enters the hook and returns.</summary>
    [Benchmark(OperationsPerInvoke = Operations)]
    public void Wait() => Run(() =>
    {
        for (int i = 0; i < Operations; i++)
        {
            _signal.Set();
            _signal.WaitOne();
        }
    });

    /// <summary>A lock that nobody else wants: it never reaches the hook.</summary>
    [Benchmark(OperationsPerInvoke = Operations)]
    public void UncontendedLock() => Run(() =>
    {
        for (int i = 0; i < Operations; i++)
        {
            lock (_gate)
            {
                _value++;
            }
        }
    });

    /// <summary>A scope around nothing; off the pool it does nothing.</summary>
    [Benchmark(OperationsPerInvoke = Operations)]
    public void Scope() => Run(() =>
    {
        for (int i = 0; i < Operations; i++)
        {
            using (BlockingScope.Enter("short"))
            {
                _value++;
            }
        }
    });

    private void Run(Action action) => (OnWorker ? _pool.Run(action) : Task.Run(action)).GetAwaiter().GetResult();
}
