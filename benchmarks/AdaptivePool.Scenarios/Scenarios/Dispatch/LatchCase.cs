using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>An item that starts a few tasks and waits until all have counted down a latch, again and again.</summary>
public sealed class LatchCase : DispatchCase
{
    private const int Tasks = 16;

    /// <summary>Turns of a spinning loop in each task, 1 to 2 us here.</summary>
    private const int Spins = 50;

    /// <summary>Each task takes some tens of times what other items take.</summary>
    private const int FewerTasks = 16;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        int rounds = items / Tasks / FewerTasks;
        TaskFactory factory = pool.Factory;
        Task all = factory.StartNew(() =>
        {
            for (int round = 0; round < rounds; round++)
            {
                using CountdownEvent latch = new(Tasks);
                for (int i = 0; i < Tasks; i++)
                {
                    factory.StartNew(() =>
                    {
                        Thread.SpinWait(Spins);
                        latch.Signal();
                    });
                }

                latch.Wait();
            }
        });
        return all.Wait(Limit) ? rounds * Tasks : throw new TimeoutException($"Not all rounds ended within {Limit.TotalSeconds:0} s.");
    }
}
