namespace AdaptivePool.Tests.Faults;

/// <summary>
/// Holds every thread that a pool may have. Root work alone cannot: the last thread is kept for in-flight work, so the last of them that starts queues a
/// further one that blocks as well.
/// </summary>
internal sealed class BlockedWorkers
{
    private readonly List<Task> _items = [];

    public BlockedWorkers(AdaptiveThreadPool pool, int threads, ManualResetEventSlim until)
    {
        using var started = new CountdownEvent(threads);
        int roots = 0;
        for (int i = 0; i < threads - 1; i++)
        {
            _items.Add(pool.Run(() =>
            {
                Task child = Interlocked.Increment(ref roots) == threads - 1 ? pool.Factory.StartNew(Hold) : Task.CompletedTask;
                Hold();
                child.GetAwaiter().GetResult();
            }));
        }

        Eventually.Zero(started, "an item must start on every thread that the pool may have");

        void Hold()
        {
            started.Signal();
            until.Wait();
        }
    }

    public bool IsAnyCompleted => _items.Exists(static item => item.IsCompleted);

    public void End() => _items.ForEach(static item => Eventually.End(item));
}
