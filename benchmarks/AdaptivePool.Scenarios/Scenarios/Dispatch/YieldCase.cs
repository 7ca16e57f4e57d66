using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Asynchronous functions that only yield: through the pool's context (its <c>Run</c>) or through its TaskScheduler (<c>StartNew</c>).</summary>
public sealed class YieldCase(int chains, bool throughScheduler) : DispatchCase
{
    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        int turns = items / chains;
        Task[] running = new Task[chains];
        for (int i = 0; i < chains; i++)
        {
            running[i] = throughScheduler
                ? pool.Factory.StartNew(() => YieldAsync(turns)).Unwrap()
                : pool.Run(() => YieldAsync(turns));
        }

        return Task.WaitAll(running, Limit) ? turns * chains : throw new TimeoutException($"Not all chains ended within {Limit.TotalSeconds:0} s.");
    }

    private static async Task YieldAsync(int turns)
    {
        for (int i = 0; i < turns; i++)
        {
            await Task.Yield();
        }
    }
}
