using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class MemoryGuardRuleTests
{
    [Fact]
    public void Observe_BelowTheShare_AllowsEverything()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.89).ShouldBe(int.MaxValue);
        At(guard, 1, double.NaN).ShouldBe(int.MaxValue);
        guard.Active.ShouldBeFalse();
    }

    [Fact]
    public void Observe_AtTheShare_AllowsWhatExists()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.9, existing: 12, runnable: 3).ShouldBe(12);
        guard.Active.ShouldBeTrue();
    }

    [Fact]
    public void Observe_NothingExists_AllowsOne() => At(new MemoryGuardRule(0.9), 0, 0.99, existing: 0, runnable: 0, waiting: false).ShouldBe(1);

    [Fact]
    public void Observe_EveryWorkerSeenWaiting_AllowsOneAtOnceAndOneASecond()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.95, existing: 4, runnable: 0).ShouldBe(5);
        At(guard, 0.003, 0.95, existing: 4, runnable: 0).ShouldBe(5, "it is not there yet");
        At(guard, 0.006, 0.95, existing: 5, runnable: 1).ShouldBe(5);
        At(guard, 0.009, 0.95, existing: 5, runnable: 0).ShouldBe(5, "it blocks as well");
        At(guard, 1, 0.95, existing: 5, runnable: 0).ShouldBe(6);
    }

    [Fact]
    public void Observe_EveryItemBlocks_GrowsByOneASecond()
    {
        var guard = new MemoryGuardRule(0.9);
        int existing = 4;
        for (double now = 0; now < 10; now += 0.003)
        {
            existing = At(guard, now, 0.95, existing, runnable: 0, progress: existing);
        }

        existing.ShouldBe(14);
    }

    /// <summary>Workers whose items end take what waits. A thread a second more would fill what is left.</summary>
    [Fact]
    public void Observe_EveryWorkerSeenWaitingAndItemsEnd_AllowsNoneUntilNoneEnds()
    {
        var guard = new MemoryGuardRule(0.9);
        long items = 0;
        for (double now = 0; now < 10; now += 0.1)
        {
            At(guard, now, 0.95, existing: 4, runnable: 0, progress: 2 * ++items, ended: items).ShouldBe(4);
        }

        At(guard, 10.5, 0.95, existing: 4, runnable: 0, progress: 2 * items, ended: items).ShouldBe(4);
        At(guard, 11, 0.95, existing: 4, runnable: 0, progress: 2 * items, ended: items).ShouldBe(5);
    }

    [Fact]
    public void Observe_EveryWorkerSeenWaitingAndNoWork_AllowsNone()
        => At(new MemoryGuardRule(0.9), 0, 0.95, existing: 4, runnable: 0, waiting: false).ShouldBe(4);

    [Fact]
    public void Observe_WorkersLookBusyAndNothingMoves_AllowsOneEverySecond()
    {
        var guard = new MemoryGuardRule(0.9);
        int existing = 4;
        int grown = 0;
        for (double now = 0; now < 10; now += 0.003)
        {
            int most = At(guard, now, 0.95, existing, runnable: existing, progress: 7);
            (most - existing).ShouldBeInRange(0, 1);
            grown += most - existing;
            existing = most;
        }

        grown.ShouldBe(9);
    }

    [Fact]
    public void Observe_ItemsComplete_AllowsNone()
    {
        var guard = new MemoryGuardRule(0.9);
        for (int tick = 0; tick < 5_000; tick++)
        {
            At(guard, tick * 0.003, 0.95, existing: 4, runnable: 4, progress: tick / 100).ShouldBe(4);
        }
    }

    [Fact]
    public void Observe_UseFallsForAMoment_StaysActive()
    {
        var guard = new MemoryGuardRule(0.9);
        long items = 0;
        long Moves() => ++items;
        At(guard, 0, 0.92, existing: 4, runnable: 2, progress: Moves()).ShouldBe(4);
        At(guard, 1, 0.7, existing: 4, runnable: 2, progress: Moves()).ShouldBe(4);
        At(guard, 2, 0.88, existing: 4, runnable: 2, progress: Moves()).ShouldBe(4, "between the two shares time starts again");
        At(guard, 3, 0.7, existing: 4, runnable: 2, progress: Moves()).ShouldBe(4);
        At(guard, 4.9, 0.7, existing: 4, runnable: 2, progress: Moves()).ShouldBe(4);
        At(guard, 5, 0.7, existing: 4, runnable: 2, progress: Moves()).ShouldBe(int.MaxValue);
    }

    [Fact]
    public void Observe_UseSwingsAroundTheShare_NeverFlaps()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.95, existing: 4, runnable: 2);
        int changes = 0;
        bool before = true;
        for (int i = 1; i < 400; i++)
        {
            At(guard, i * 0.25, 0.88 + (0.03 * Math.Sin(i)), existing: 4, runnable: 2);
            changes += guard.Active == before ? 0 : 1;
            before = guard.Active;
        }

        changes.ShouldBe(0);
    }

    [Fact]
    public void Observe_UseCanNoLongerBeTold_EndsAfterAWhile()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.95);
        At(guard, 1, double.NaN);
        guard.Active.ShouldBeTrue();
        At(guard, 3.1, double.NaN).ShouldBe(int.MaxValue);
    }

    [Fact]
    public void Observe_WhatWasStartedMayTakeAllThatIsLeft_HoldsUntilThereIsRoom()
    {
        var guard = new MemoryGuardRule(0.9);
        At(guard, 0, 0.5, existing: 4, most: 14).ShouldBe(14);
        guard.Holds.ShouldBeFalse();
        At(guard, 0.1, 0.6, existing: 14, runnable: 0, most: 14).ShouldBe(14, "the next reading will tell");
        guard.Holds.ShouldBeFalse();
        At(guard, 0.15, 0.6, existing: 14, progress: 1, most: 14, hasRoom: false).ShouldBe(14);
        (guard.Holds, guard.Active).ShouldBe((true, false));
        At(guard, 0.2, 0.6, existing: 14, runnable: 0, progress: 1, most: 14, hasRoom: false).ShouldBe(15, "rule R3: one must be able to run");
        At(guard, 0.3, 0.6, existing: 15, runnable: 0, progress: 2, most: 14, hasRoom: false).ShouldBe(15, "and no more than one a second");
        At(guard, 0.4, 0.6, existing: 15, most: 20).ShouldBe(20);
        guard.Holds.ShouldBeFalse();
    }

    [Theory]
    [InlineData(0, new[] { 2, 2, 8 })]
    [InlineData(-5, new[] { 2, 2, 8 })]
    [InlineData(3, new[] { 5, 2, 8 })]
    [InlineData(10, new[] { 10, 4, 8 })]
    [InlineData(100, new[] { 10, 20, 8 })]
    public void Hold_LimitsWanted_RiseByFreeThreadsOnly(int free, int[] expected)
    {
        int[] limits = [MemoryGuardRule.Hold(2, 10, ref free), MemoryGuardRule.Hold(2, 20, ref free), MemoryGuardRule.Hold(30, 8, ref free)];
        limits.ShouldBe(expected, "what shrinks may shrink");
    }

    private static int At(MemoryGuardRule guard, double seconds, double used, int existing = 4, int runnable = 4, long progress = 0, bool waiting = true,
        long ended = 0, int most = int.MaxValue, bool hasRoom = true) => guard.Observe(
            new MemoryObservation(TimeSpan.FromSeconds(seconds), used, existing, runnable, progress, waiting, ended, most, hasRoom));
}
