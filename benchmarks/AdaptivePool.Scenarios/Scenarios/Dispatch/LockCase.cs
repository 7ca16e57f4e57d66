using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Asynchronous functions that hand one <see cref="SemaphoreSlim"/> to each other.</summary>
/// <param name="functions">How many.</param>
public sealed class LockCase(int functions) : DispatchCase
{
    /// <summary>Turns of a spinning loop while a function has it, 2 us here: without them one function takes all its turns before others come.</summary>
    private const int Spins = 64;

    /// <summary>Each turn takes some tens of times what other items take.</summary>
    private const int FewerTurns = 16;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        int turns = items / functions / FewerTurns;
        using SemaphoreSlim turn = new(1, 1);
        Task[] running = new Task[functions];
        for (int i = 0; i < functions; i++)
        {
            running[i] = pool.Run(() => TakeAsync(turn, turns));
        }

        return Task.WaitAll(running, Limit) ? turns * functions : throw new TimeoutException($"Not all turns ended within {Limit.TotalSeconds:0} s.");
    }

    private static async Task TakeAsync(SemaphoreSlim turn, int turns)
    {
        for (int i = 0; i < turns; i++)
        {
            await turn.WaitAsync();
            Thread.SpinWait(Spins);
            turn.Release();
        }
    }
}
