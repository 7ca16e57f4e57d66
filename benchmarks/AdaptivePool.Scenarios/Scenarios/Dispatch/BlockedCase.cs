using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>
/// Work items from outside beside threads that are blocked for good and one chain of awaits. At most 100 items wait at once, so that workers look for work and
/// lie down as often as in a server that keeps up.
/// </summary>
public sealed class BlockedCase(int blocked) : DispatchCase
{
    private const int Batch = 50;
    private const int MostWaiting = 100;
    private const int Spins = 30;
    private readonly ManualResetEventSlim _never = new();
    private int _held;
    private bool _prepared;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        if (!_prepared)
        {
            _prepared = true;
            Prepare(pool);
        }

        Item item = new();
        for (int queued = 0; queued < items;)
        {
            if (queued - item.Ended > MostWaiting)
            {
                Thread.Yield();
                continue;
            }

            for (int i = 0; i < Batch; i++, queued++)
            {
                pool.Queue(item, preferLocal: false);
            }
        }

        if (!SpinWait.SpinUntil(() => item.Ended >= items, Limit))
        {
            throw new TimeoutException($"Not all items ran within {Limit.TotalSeconds:0} s.");
        }

        return item.Ended;
    }

    private void Prepare(ComparedPool pool)
    {
        if (pool is RuntimeComparedPool)
        {
            // It would add one every half second.
            ThreadPool.GetMinThreads(out int workers, out int ports);
            ThreadPool.SetMinThreads(workers + blocked, ports);
        }

        for (int i = 0; i < blocked; i++)
        {
            _ = pool.Run(async () =>
            {
                await Task.Yield();
                Interlocked.Increment(ref _held);
                _never.Wait();
            });
        }

        if (!SpinWait.SpinUntil(() => Volatile.Read(ref _held) == blocked, Limit))
        {
            throw new TimeoutException($"Only {_held} of {blocked} items block after {Limit.TotalSeconds:0} s.");
        }

        // Its worker always has work of its own.
        _ = pool.Run(static async () =>
        {
            while (true)
            {
                await Task.Yield();
                Thread.Sleep(1);
            }
        });
    }

    private sealed class Item : IThreadPoolWorkItem
    {
        private int _ended;

        public int Ended => Volatile.Read(ref _ended);

        public void Execute()
        {
            Thread.SpinWait(Spins);
            Interlocked.Increment(ref _ended);
        }
    }
}
