using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>A way to put many tiny items through a pool.</summary>
public abstract class DispatchCase
{
    /// <summary>The longest a repetition may take before the case is given up as hung.</summary>
    protected static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <summary>Puts about <paramref name="items"/> items through the pool, waits for all of them and returns how many there were.</summary>
    public abstract int Run(ComparedPool pool, int items);

    /// <summary>Waits for the last item.</summary>
    protected static void WaitFor(ManualResetEventSlim done)
    {
        if (!done.Wait(Limit))
        {
            throw new TimeoutException($"Not all items ran within {Limit.TotalSeconds:0} s.");
        }
    }
}
