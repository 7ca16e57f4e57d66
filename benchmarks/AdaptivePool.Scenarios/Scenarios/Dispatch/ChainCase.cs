using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Work items that queue themselves again, locally.</summary>
public sealed class ChainCase(int chains) : DispatchCase
{
    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        using CountdownEvent ended = new(chains);
        int turns = items / chains;
        for (int i = 0; i < chains; i++)
        {
            pool.Queue(new Link(pool, turns, ended), preferLocal: false);
        }

        return ended.Wait(Limit) ? turns * chains : throw new TimeoutException($"Not all chains ended within {Limit.TotalSeconds:0} s.");
    }

    private sealed class Link(ComparedPool pool, int turns, CountdownEvent ended) : IThreadPoolWorkItem
    {
        private int _remaining = turns;

        public void Execute()
        {
            if (--_remaining > 0)
            {
                pool.Queue(this, preferLocal: true);
            }
            else
            {
                ended.Signal();
            }
        }
    }
}
