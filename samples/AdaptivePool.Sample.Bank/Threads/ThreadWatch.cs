namespace AdaptivePool.Sample.Bank.Threads;

/// <summary>Counts the threads of both pools every 20 ms, on a thread of its own, from the first question on.</summary>
internal sealed class ThreadWatch(IServiceProvider services) : IDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(20);

    private readonly AdaptiveThreadPool? _pool = services.GetService<AdaptiveThreadPool>();
    private readonly ManualResetEventSlim _stop = new();
    private readonly Lock _lock = new();
    private Thread? _thread;
    private int _peak;

    public ThreadReport GetReport(bool reset)
    {
        lock (_lock)
        {
            if (_thread is null)
            {
                _thread = new Thread(Watch) { IsBackground = true, Name = "thread watch" };
                _thread.Start();
            }

            (int runtime, int adaptive, long? completed) = Count();
            _peak = reset ? runtime + adaptive : Math.Max(_peak, runtime + adaptive);
            return new ThreadReport(runtime, adaptive, _peak, completed);
        }
    }

    public void Dispose()
    {
        Thread? thread;
        lock (_lock)
        {
            thread = _thread;
            _stop.Set();
        }

        thread?.Join();
        _stop.Dispose();
    }

    private void Watch()
    {
        while (!_stop.Wait(s_period))
        {
            lock (_lock)
            {
                (int runtime, int adaptive, _) = Count();
                _peak = Math.Max(_peak, runtime + adaptive);
            }
        }
    }

    private (int Runtime, int Adaptive, long? Completed) Count()
    {
        PoolSnapshot? snapshot = _pool?.GetSnapshot();
        return (ThreadPool.ThreadCount, snapshot is null ? 0 : snapshot.Existing + snapshot.LongRunning, snapshot?.Completed);
    }
}
