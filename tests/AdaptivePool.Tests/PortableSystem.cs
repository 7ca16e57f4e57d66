using AdaptivePool.Internal;
using AdaptivePool.Sensing;
using AdaptivePool.Tests.Dispatch;

namespace AdaptivePool.Tests;

/// <summary>Forces the paths of a system of which nothing is known: threads that park by an event, no CPU clocks, no files about threads, cores or
/// groups.</summary>
internal static class PortableSystem
{
    private static readonly string s_nothing = Path.Combine(Path.GetTempPath(), "adaptivepool-portable-" + Guid.NewGuid().ToString("N"));

    public static PoolSurroundings Surroundings(CpuBudget budget)
        => new() { Threads = new PortableThreadSource<RealSync>(), Budget = budget, RuntimePool = null, Root = s_nothing };
}
