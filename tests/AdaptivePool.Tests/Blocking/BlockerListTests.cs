using AdaptivePool.Blocking;
using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Blocking;

public sealed class BlockerListTests
{
    [Fact]
    public void Of_WaitThatHasNotEnded_IsListedWithoutTakingAPlaceInTheTable()
    {
        var table = new BlockerTable();
        WorkerReading[] readings = [Waiting("M", 1), Waiting("M", 3), Waiting("N", 2)];
        IReadOnlyList<Blocker> blockers = BlockerList.Of(table, readings);
        blockers.Select(blocker => (blocker.Method, blocker.Blocked, blocker.Count, blocker.TotalTime.TotalSeconds)).ShouldBe([("M", 2, 2, 4), ("N", 1, 1, 2)]);
        table.Find("M", "lock", "c").ShouldBeNull();
    }

    [Fact]
    public void Of_TableIsFull_StillNamesWhatBlocksNow()
    {
        // Of a pool that has run for months, or whose scopes have a reason each.
        var table = new BlockerTable();
        for (int i = 0; i < 1_000; i++)
        {
            table.Get(null, "Blocking scope", $"order {i}", "c").Add(TimeSpan.FromSeconds(1));
        }

        Blocker now = BlockerList.Of(table, (WorkerReading[])[Waiting("M", 1), Waiting("M", 3)])[0];
        (now.Method, now.Kind, now.Blocked).ShouldBe(("M", "lock", 2));
    }

    private static WorkerReading Waiting(string method, int seconds) => new()
    {
        State = WorkerState.BlockedManaged,
        ClassName = "c",
        Site = new WaitSite(method, "lock", MayThrow: false, IsOwn: false, WaitTarget.Local),
        SiteAge = TimeSpan.FromSeconds(seconds),
    };
}
