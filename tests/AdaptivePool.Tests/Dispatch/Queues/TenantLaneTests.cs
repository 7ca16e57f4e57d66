using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class TenantLaneTests
{
    [Fact]
    public void TryDequeue_OneSendsAHundredTimesAsMuch_EachHasItsTurn()
    {
        var lane = new TenantLane<RealSync>();
        for (int i = 0; i < 100; i++)
        {
            lane.Enqueue("loud", "loud");
        }

        lane.Enqueue("first", "first");
        lane.Enqueue("second", "second");
        Drain(lane).Take(3).ShouldBe(["loud", "first", "second"]);
    }

    [Fact]
    public void TryDequeue_AnyItems_EachOnceAndFirstInFirstOutForEachTenant() =>
        Prop.ForAll<byte[]>(items =>
        {
            var lane = new TenantLane<RealSync>();
            for (int i = 0; i < items.Length; i++)
            {
                lane.Enqueue($"{items[i] % 5}", (items[i] % 5, i));
            }

            lane.Count.ShouldBe(items.Length);
            lane.Items.Count().ShouldBe(items.Length);
            (int Tenant, int Number)[] taken = [.. Drain(lane).Cast<(int, int)>()];
            taken.Length.ShouldBe(items.Length);
            foreach (IGrouping<int, (int Tenant, int Number)> own in taken.GroupBy(static item => item.Tenant))
            {
                own.Select(static item => item.Number).ShouldBeInOrder();
            }

            lane.Count.ShouldBe(0);
            lane.Tenants.ShouldBe(0);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(200));

    [Fact]
    public void TryDequeue_BesideWorkWithoutATenant_BothHaveTheirTurns()
    {
        var lanes = new PriorityLanes<RealSync>();
        for (int i = 0; i < 100; i++)
        {
            lanes.Enqueue("none");
            lanes.EnqueueFor("a", "a");
            lanes.EnqueueFor("b", "b");
        }

        object[] first = [.. Enumerable.Range(0, 90).Select(_ => lanes.TryDequeue(out object? item) ? item : "nothing")];
        foreach (string name in new[] { "none", "a", "b" })
        {
            first.Count(item => (string)item == name).ShouldBeInRange(28, 32);
        }

        lanes.Count.ShouldBe(210);
        lanes.IsEmpty.ShouldBeFalse();
    }

    [Fact]
    public void Enqueue_ManyTenantsOnceEach_NothingIsKept()
    {
        var lane = new TenantLane<RealSync>();
        WeakReference first = Fill(lane);
        Drain(lane).Count().ShouldBe(100_000);
        GC.Collect();
        first.IsAlive.ShouldBeFalse("a tenant without work takes no memory");

        static WeakReference Fill(TenantLane<RealSync> lane)
        {
            string name = new('x', 40);
            lane.Enqueue(name, "item");
            for (int i = 1; i < 100_000; i++)
            {
                lane.Enqueue($"tenant {i}", "item");
            }

            return new WeakReference(name);
        }
    }

    private static IEnumerable<object> Drain(TenantLane<RealSync> lane)
    {
        while (lane.TryDequeue(out object? item))
        {
            yield return item;
        }
    }
}
