using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch.Queues;

/// <summary>One place knows how long the items of a class wait.</summary>
public sealed class QueueAgesTests
{
    private readonly PriorityLanes<RealSync> _lanes = new();

    [Fact]
    public void Look_NormalWorkAlone_FollowsWhatWasStarted()
    {
        Enqueue(3);
        Look(1, started: 7);
        (_lanes.Ages.Waiting, _lanes.Ages.Taken).ShouldBe((3, (7, 0)));
        _lanes.TryDequeue(out _);
        Look(3, started: 8);

        _lanes.Ages.Taken.ShouldBe((8, 2));
        _lanes.Ages.OldestWait(4).ShouldBe(3);
        _lanes.Ages.AgeOf(WorkPriority.Normal, 1, 4).ShouldBe(TimeSpan.FromSeconds(3));
        _lanes.Ages.AgeOf(WorkPriority.Normal, 2, 4).ShouldBeNull();
        _lanes.Ages.Tell(4, static clock => clock.Gone).ShouldBe(new Dictionary<WorkPriority, long> { [WorkPriority.Normal] = 8 });
    }

    [Fact]
    public void Look_AnotherPriorityComes_WhatWaitsKeepsItsAge()
    {
        Enqueue(2);
        Look(1, started: 500);
        Enqueue(1, WorkPriority.Low);
        Look(2, started: 500);

        _lanes.Ages.OldestWait(3).ShouldBe(2);
        _lanes.Ages.AgeOf(WorkPriority.Low, 0, 3).ShouldBe(TimeSpan.FromSeconds(1));
        _lanes.TryDequeue(out _);
        Look(3, started: 501);
        _lanes.Ages.Tell(4, static clock => clock.Gone).ShouldBe(new Dictionary<WorkPriority, long> { [WorkPriority.Low] = 0, [WorkPriority.Normal] = 501 });
    }

    [Fact]
    public void Tell_NothingComesForLong_OldWaitsWeighLessAndAreForgotten()
    {
        Enqueue(1);
        Look(0, started: 0);
        _lanes.TryDequeue(out _);
        Look(3, started: 1);
        IReadOnlyDictionary<WorkPriority, double> Weights(double now) => _lanes.Ages.Tell(now, static clock => clock.Histogram.Sum(static it => it.Value));
        IReadOnlyDictionary<WorkPriority, double> LongWaits(double now) => _lanes.Ages.Tell(now, static clock => clock.Percentile(0.99));

        Weights(63)[WorkPriority.Normal].ShouldBe(0.5);
        LongWaits(63)[WorkPriority.Normal].ShouldBeGreaterThan(2);
        Weights(3_600)[WorkPriority.Normal].ShouldBe(0);
        LongWaits(3_600)[WorkPriority.Normal].ShouldBe(0);
    }

    [Fact]
    public void Look_WhatWaitsElsewhere_IsCountedAsNormal()
    {
        Enqueue(1);
        Look(0, started: 0, local: 2);
        Look(4, started: 2, local: 0);

        (_lanes.Ages.Taken, _lanes.Ages.OldestWait(5)).ShouldBe(((2, 8), 5));
    }

    [Fact]
    public void Look_Never_NothingIsDue()
    {
        Enqueue(5, WorkPriority.Low);
        Look(0, started: 0, after: Timeout.InfiniteTimeSpan);
        Look(1e6, started: 0, after: Timeout.InfiniteTimeSpan);
        _lanes.DueCount.ShouldBe(0);
        Look(1e6, started: 0, after: TimeSpan.FromSeconds(1));
        _lanes.DueCount.ShouldBe(5);
    }

    [Fact]
    public void Look_NobodyHasLooked_NothingIsKnown()
    {
        Enqueue(1);
        (_lanes.Ages.OldestWait(9), _lanes.Ages.AgeOf(WorkPriority.Normal, 0, 9), _lanes.Ages.Taken).ShouldBe((0, null, (0, 0)));
        _lanes.Ages.Tell(4, static clock => clock.Gone).ShouldBeEmpty();
    }

    [Fact]
    public void Look_EachLook_CostsNoMemory()
    {
        Enqueue(1, WorkPriority.Low);
        int look = 0;
        Allocation.Of(() => Look(0.01 * ++look, started: look)).ShouldBe(0);
        Allocation.Of(() => _ = _lanes.Ages.Taken).ShouldBe(0);
        Allocation.Of(() => _lanes.Ages.OldestWait(look)).ShouldBe(0);
    }

    private void Look(double now, int started, int local = 0, TimeSpan? after = null) =>
        _lanes.Ages.Look(now, started, local, after ?? TimeSpan.FromHours(1));

    private void Enqueue(int count, WorkPriority priority = WorkPriority.Normal)
    {
        for (int i = 0; i < count; i++)
        {
            _lanes.Enqueue("item", priority);
        }
    }
}
