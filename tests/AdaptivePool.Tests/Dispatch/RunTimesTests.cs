using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

public sealed class RunTimesTests : PoolTest
{
    [Fact]
    public void End_EachItem_IsAdded()
    {
        var times = new RunTimes<RealSync>();
        ThreadUse begun = RunTimes<RealSync>.Begin();
        Thread.Sleep(1);
        times.End(begun, 0.25);
        times.End(RunTimes<RealSync>.Begin() with { Waits = long.MaxValue }, 0.5);
        (long items, double seconds) = times.Total;
        items.ShouldBe(2);
        seconds.ShouldBe(0.75, 1e-6, "both waited, so all their time counts");
    }

    [Fact]
    public void Runs_OfAClassThatIsAskedFor_HaveItsItems()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass asked = pool.GetClass("asked");
        asked.Core.Runs = new();
        for (int i = 0; i < 200; i++)
        {
            Eventually.End(asked.Run(static () => Thread.Sleep(1)));
        }

        RunTimes<RealSync> runs = asked.Core.Runs.ShouldNotBeNull();
        Eventually.Be(() => runs.Total.Items > 100, "long items are timed, each of them");
        (long items, double seconds) = runs.Total;
        (seconds / items).ShouldBeGreaterThan(0.9e-3);
        pool.GetClass("other").Core.Runs.ShouldBeNull();
    }
}
