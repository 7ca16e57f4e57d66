namespace AdaptivePool.Stress.Rounds;

/// <summary>Everything a pool takes. Each piece is submitted once and ends once: it completes, or is cancelled, or is rejected.</summary>
internal sealed class MixedWork : IDisposable
{
    private const int Kinds = 13;
    private readonly Tally _tally;
    private readonly AdaptiveThreadPool _pool;
    private readonly WorkClass[] _classes;
    private readonly Lock _gate = new();

    public MixedWork(Tally tally, AdaptiveThreadPool pool)
    {
        _tally = tally;
        _pool = pool;
        _classes = [.. Enumerable.Range(0, 4).Select(i => pool.GetClass("class " + i))];
    }

    /// <summary>Submits something from a thread outside.</summary>
    public void Submit(ref Dice dice)
    {
        _tally.Submit();
        int size = 1 + dice.Below(4);
        var priority = (WorkPriority)dice.Below(3);
        WorkClass target = _classes[dice.Below(_classes.Length)];
        try
        {
            switch (dice.Below(Kinds))
            {
                case 0:
                    _pool.UnsafeQueueUserWorkItem(new BurstItem(_tally, _pool, size, pauses: true), preferLocal: false);
                    break;
                case 1:
                    target.UnsafeQueueRootWork(new BurstItem(_tally, _pool, size, pauses: false));
                    break;
                case 2:
                    _ = _pool.Run(_tally.CompleteOne, priority);
                    break;
                case 3:
                    RunCancelled(target, priority, size);
                    break;
                case 4:
                    _ = target.Run(() => AwaitAsync(size), priority);
                    break;
                case 5:
                    _ = target.Run(() => Sleep(size), priority);
                    break;
                case 6:
                    _ = target.Run(() => SyncOverAsync(size), priority);
                    break;
                case 7:
                    _ = _pool.Factory.StartNew(() => Fork(size), CancellationToken.None, TaskCreationOptions.PreferFairness, _pool.Scheduler);
                    break;
                case 8:
                    StartChained(size);
                    break;
                case 9:
                    _ = target.Run(() => Locked(size), priority);
                    break;
                case 10 when size == 1:
                    _ = _pool.Factory.StartNew(_tally.CompleteOne, TaskCreationOptions.LongRunning);
                    break;
                case 11:
                    _pool.UnsafeQueueUserWorkItem(new ThrowingItem(_tally), preferLocal: false);
                    break;
                default:
                    _ = _pool.Run(() => Declared(size), priority);
                    break;
            }
        }
        catch (Exception exception) when (exception is ObjectDisposedException or TaskSchedulerException)
        {
            _tally.Reject();
        }
    }

    public void Dispose() => _pool.Dispose();

    // Cancelled at once, a little later, or too late.
    private void RunCancelled(WorkClass target, WorkPriority priority, int when)
    {
        var cancellation = new CancellationTokenSource();
        if (when == 1)
        {
            cancellation.Cancel();
        }

        Task task = target.Run(_tally.CompleteOne, priority, cancellation.Token);
        _ = task.ContinueWith(
            (ended, source) =>
            {
                ((CancellationTokenSource)source!).Dispose();
                if (ended.IsCanceled)
                {
                    _tally.Cancel();
                }
            },
            cancellation,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        if (when != 4)
        {
            try
            {
                cancellation.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // The task has ended since.
            }
        }
    }

    private async Task AwaitAsync(int hops)
    {
        for (int i = 0; i < hops; i++)
        {
            await Task.Yield();
            await Leave(i);
        }

        _tally.Complete();
    }

    private static async Task Leave(int way)
    {
        switch (way)
        {
            case 0:
                await Task.Run(static () => { }).ConfigureAwait(false);
                break;
            case 1:
                await Task.Delay(1);
                break;
            default:
                await Task.Yield();
                break;
        }
    }

    private void Sleep(int milliseconds)
    {
        Thread.Sleep(milliseconds - 1);
        _tally.Complete();
    }

    private void SyncOverAsync(int hops)
    {
        static async Task Inner(int hops)
        {
            for (int i = 0; i < hops; i++)
            {
                await Task.Yield();
            }
        }

        Inner(hops).Wait();
        _tally.Complete();
    }

    private void Fork(int children)
    {
        Task[] tasks = new Task[children];
        for (int i = 0; i < children; i++)
        {
            _tally.Submit();
            tasks[i] = _pool.Factory.StartNew(_tally.CompleteOne);
        }

        Task.WaitAll(tasks);
        _tally.Complete();
    }

    private void StartChained(int links)
    {
        Task last = _pool.Factory.StartNew(static () => { });
        for (int i = 1; i < links; i++)
        {
            last = last.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, _pool.Scheduler);
        }

        // On the runtime's pool: a link that the pool refuses faults, and is still the end of the chain.
        last.ContinueWith(_ => _tally.Complete(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    private void Locked(int times)
    {
        for (int i = 0; i < times; i++)
        {
            lock (_gate)
            {
                Thread.Yield();
            }
        }

        _tally.Complete();
    }

    private void Declared(int milliseconds)
    {
        using (_pool.Blocking("stress"))
        {
            Thread.Sleep(milliseconds / 2);
        }

        _tally.Complete();
    }
}
