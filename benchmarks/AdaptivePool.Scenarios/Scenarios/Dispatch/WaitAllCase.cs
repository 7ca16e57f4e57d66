using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Many items at once, each of which starts a few short tasks and waits for them.</summary>
public sealed class WaitAllCase : DispatchCase
{
    private const int Tasks = 8;

    /// <summary>Turns of a spinning loop in each task, about 1 us here.</summary>
    private const int Spins = 20;

    /// <summary>Each task takes some times what other items take.</summary>
    private const int FewerTasks = 8;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        Task[] parents = new Task[items / Tasks / FewerTasks];
        TaskFactory factory = pool.Factory;
        for (int i = 0; i < parents.Length; i++)
        {
            parents[i] = factory.StartNew(() =>
            {
                Task[] children = new Task[Tasks];
                for (int child = 0; child < Tasks; child++)
                {
                    children[child] = factory.StartNew(static () => Thread.SpinWait(Spins));
                }

                Task.WaitAll(children);
            });
        }

        return Task.WaitAll(parents, Limit) ? parents.Length * Tasks : throw new TimeoutException($"Not all items ended within {Limit.TotalSeconds:0} s.");
    }
}
