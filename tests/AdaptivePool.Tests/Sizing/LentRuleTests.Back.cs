using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public partial class LentRuleTests
{
    [Fact]
    public void Observe_OthersComeBack_NoLongerLentOneByOne()
    {
        Lend(steps: 2).ShouldBe(6);

        _class.Completed++;
        _class.Held = 4;
        Tick(0.003, out LentEnd end).ShouldBe(4);
        end.ShouldBe(LentEnd.None);

        _class.Completed += 3;
        _class.Held = 1;
        Tick(0.003).ShouldBe(1);

        _class.Completed++;
        _class.Held = 0;
        Tick(0.003, out end).ShouldBe(0);
        end.ShouldBe(LentEnd.Returned);
        _rule.IsOpen.ShouldBeFalse();
    }

    [Fact]
    public void Observe_NothingHasComeBack_WhatWasLentStays()
    {
        Lend(steps: 1).ShouldBe(2);
        _class.Held = 0;

        Tick(0.003).ShouldBe(2, "nothing has completed: nobody can have come back");
    }

    [Theory]
    [InlineData(0.74, false)]
    [InlineData(0.75, true)]
    public void Observe_AllComeBack_MeasuredAsItStandsIfMostSlept(double sleeping, bool isMeasured)
    {
        _class.SleepingShare = sleeping;
        Lend(steps: 1);

        (_class.Completed, _class.Held, _class.SleepingShare) = (4, 0, 0);
        Tick(0.003, out LentEnd end);

        end.ShouldBe(isMeasured ? LentEnd.Verify : LentEnd.Returned, "what they did when the threads were lent counts");
    }

    [Theory]
    [InlineData(0.6, false)]
    [InlineData(1, true)]
    public void Observe_SomeSleepersComeBack_AllStayLentUntilHalfHave(double sleeping, bool isMeasured)
    {
        HasCompleted(10);
        _class.SleepingShare = sleeping;
        int lent = Lend(steps: 3);
        lent.ShouldBe(14);

        (_class.Completed, _class.Held) = (11, 5);
        Tick(0.001, out LentEnd end).ShouldBe(lent, "their threads are to be free for what waits");
        end.ShouldBe(LentEnd.None);

        (_class.Completed, _class.Held) = (12, 4);
        Tick(0.001, out end).ShouldBe(isMeasured ? 0 : 4);
        end.ShouldBe(isMeasured ? LentEnd.Verify : LentEnd.None);
    }

    [Fact]
    public void Observe_GenerationsPassThoseThatSleep_TheyAreStuckAndNotMeasured()
    {
        _class.SleepingShare = 1;
        Lend(steps: 2);
        _class.Held = 4;
        LentEnd end = LentEnd.None;
        for (int i = 0; i < 200; i++)
        {
            _class.Completed++;
            Tick(0.01, out end);
            end.ShouldBe(LentEnd.None, "until everything that still waits counts as stuck");
        }

        for (int i = 0; i < 60 && end == LentEnd.None; i++)
        {
            _class.Completed++;
            Tick(0.01, out end);
        }

        end.ShouldBe(LentEnd.Returned);
        (_rule.Stalled, _rule.Stuck).ShouldBe((0, 4));

        // One of those that hang ends: what counts as long is ten seconds now, and the others would have to be older than thirty.
        (_class.Held, _class.LongServiceSeconds) = (3, 10);
        _class.Completed++;
        Tick(0.01);
        _rule.Stuck.ShouldBe(3, "who was stuck stays so, however long others turn out to take");
    }

    [Fact]
    public void Observe_SomeOfAnOpenStallAreOlderThanThePatience_AreNotLentTwice()
    {
        _class.SleepingShare = 1;
        int lent = Lend(steps: 2);
        _class.Queued = 0;
        for (int i = 0; i < 3; i++)
        {
            _class.Completed++;
            Tick(1, out LentEnd end);
            end.ShouldBe(LentEnd.None);
            (_rule.Stalled, _rule.Stuck).ShouldBe((lent, 0));
        }
    }

    [Fact]
    public void Observe_FewPassThoseThatSleepForLong_StillOneStall()
    {
        _class.SleepingShare = 1;
        Lend(steps: 2);
        int lent = _rule.Threads;
        for (int i = 0; i < 10; i++)
        {
            _class.Completed++;
            Tick(0.4, out LentEnd end);
            end.ShouldBe(LentEnd.None, "the first of those that sleep three seconds must not end it");
        }

        _rule.Threads.ShouldBeGreaterThanOrEqualTo(lent);
    }

    [Fact]
    public void Observe_OthersComplete_ThreadsForTheStuck()
    {
        (_class.Limit, _class.StuckWaiting) = (40, 30);

        Stuck(completions: 1).ShouldBe(30);
    }

    [Fact]
    public void Observe_NothingCompletes_NoneForTheStuck()
    {
        (_class.Limit, _class.Queued, _class.StuckWaiting) = (40, 0, 30);

        for (int i = 0; i < 1_000; i++)
        {
            Stuck(completions: 0).ShouldBe(0);
        }
    }

    [Fact]
    public void Observe_NothingCompletesAnyMore_WhatTheStuckWereLentStays()
    {
        (_class.Limit, _class.StuckWaiting) = (40, 10);
        Stuck(completions: 1);
        _class.StuckWaiting = 30;

        Stuck(completions: 0).ShouldBe(10);
    }

    [Fact]
    public void Observe_StuckComeBack_NoLongerLentAtOnce()
    {
        (_class.Limit, _class.StuckWaiting) = (40, 30);
        Stuck(completions: 1);
        _class.StuckWaiting = 4;

        Stuck(completions: 0).ShouldBe(4);
    }

    [Fact]
    public void Observe_StuckButHog_NoneAreLent()
    {
        (_class.Limit, _class.StuckWaiting) = (40, 30);

        Stuck(completions: 1, mayGrow: false).ShouldBe(0);
    }

    [Theory]
    [InlineData(1, 20)]
    [InlineData(0.95, 18)]
    [InlineData(0.5, 0)]
    [InlineData(double.NaN, 0)]
    public void Observe_StuckThatMayCompute_AreLentNone(double blocked, int lent)
    {
        (_class.Limit, _class.StuckElsewhere, _class.BlockedShare) = (40, 20, blocked);

        Stuck(completions: 1).ShouldBe(lent);
    }

    [Fact]
    public void Observe_StallBesideTheStuck_DoublesThoseThatMove()
    {
        (_class.Limit, _class.StuckWaiting, _class.SleepingShare) = (40, 30, 1);
        Stuck(completions: 1).ShouldBe(30);
        _class.Limit = 70;
        _class.Wait(0.011);

        _rule.Observe(_class.Observation, _class.Machine, 40, 40, isCold: false, mayGrow: true);

        (_rule.Stuck, _rule.Stalled).ShouldBe((30, 40));
    }

    // After it all that are in flight have held their items for long.
    private int Lend(int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            Hold();
            Tick(0.011 * (1 << i));
        }

        return _rule.Threads;
    }

    private int Stuck(int completions, bool mayGrow = true)
    {
        _class.Wait(0.001);
        _class.Completed += completions;
        _rule.Observe(_class.Observation, _class.Machine, 40, 40, isCold: false, mayGrow);
        return _rule.Stuck;
    }
}
