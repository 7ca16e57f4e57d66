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
        table.Find("M", "lock", null, "c").ShouldBeNull();
    }

    private static WorkerReading Waiting(string method, int seconds) => new()
    {
        State = WorkerState.BlockedManaged,
        ClassName = "c",
        Site = new WaitSite(method, "lock", MayThrow: false, IsOwn: false, WaitTarget.Local),
        SiteAge = TimeSpan.FromSeconds(seconds),
    };
}
