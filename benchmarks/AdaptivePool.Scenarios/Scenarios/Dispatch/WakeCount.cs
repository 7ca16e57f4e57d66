using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>How often a pool has woken a worker, and how often for nothing; only ours tells.</summary>
public readonly record struct WakeCount(bool Known, long Wakes, long Useless)
{
    /// <summary>Reads the counters.</summary>
    public static WakeCount Of(ComparedPool pool) => pool.Wakes is { } wakes ? new(true, wakes.All, wakes.Useless) : default;

    /// <summary>Reports what has been counted since this reading.</summary>
    public void Report(ChildContext child, long items)
    {
        WakeCount now = Of(child.Pool);
        if (!Known)
        {
            return;
        }

        long wakes = now.Wakes - Wakes;
        child.Report("wakes-per-1000", Math.Round(1_000.0 * wakes / items, 3));
        if (wakes > 0)
        {
            child.Report("useless-wakes-percent", Math.Round(100.0 * (now.Useless - Useless) / wakes, 1));
        }
    }
}
