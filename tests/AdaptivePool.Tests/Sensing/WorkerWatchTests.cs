using AdaptivePool.Dispatch;
using AdaptivePool.Internal;
using AdaptivePool.Sensing;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Sensing;

public sealed class WorkerWatchTests : PoolTest
{
    [Fact]
    public void Look_WaitThatWasLookedAt_BeatsWhatTheClassUsuallyWaitsFor()
    {
        AdaptiveThreadPool pool = CreatePool();
        ClassCore core = pool.DefaultClass.Core;
        for (int i = 0; i < 1_000; i++)
        {
            core.CountSampledWait(WaitTarget.Network);
        }

        using var open = new ManualResetEventSlim(false, spinCount: 0);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task local = pool.Run(open.Wait);
        Task task = pool.Run(() => release.Task.Wait());
        try
        {
            // The first waits of a class are looked at.
            Eventually.Be(() => pool.Set.Workers.Count(w => w is { Site: not null }) == 2, "both waits are looked at");
            var watch = new WorkerWatch();
            watch.Look(pool.Set.Workers, 0, 0, collected: 0);
            ClassUse totals = watch.Of(core);
            (totals.Busy, totals.Sleeping, totals.WaitingForTasks).ShouldBe((2, 2.0, 1.0));
        }
        finally
        {
            open.Set();
            release.SetResult();
        }

        Eventually.End(local);
        Eventually.End(task);
    }

    [Fact]
    public void Look_WorkersInAScope_HaveDeclaredTheirWaits()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        using var open = new ManualResetEventSlim();
        Task declared = pool.Run(() =>
        {
            using (pool.Blocking("scope"))
            {
                open.Wait();
            }
        });
        Task other = pool.Run(() =>
        {
            // One that waits for the other by spinning sleeps in between, and is seen to.
            while (!open.IsSet)
            {
                Thread.SpinWait(1);
            }
        });
        try
        {
            Eventually.Be(pool, static s => s is { Active: 2, Blocked: 1 }, "both run");
            var watch = new WorkerWatch();
            watch.Look(pool.Set.Workers, 0, 0, collected: 0);
            ClassUse totals = watch.Of(pool.DefaultClass.Core);
            (totals.Busy, totals.Declared, totals.DeclaredShare).ShouldBe((2, 1, 0.5));
            open.Set();
            Eventually.End(declared);
            Eventually.End(other);
            Eventually.Be(pool, static s => s.Active == 0, "both have ended");
            watch.Look(pool.Set.Workers, 1, 1, collected: 0);
            (totals.Declared, totals.DeclaredShare).ShouldBe((0, 0));
        }
        finally
        {
            open.Set();
        }
    }

    /// <summary>Items that burn read as blocked where a quarter of the time went to collections, and the pool could grow for them.</summary>
    [Fact]
    public void Look_TimeOfCollections_IsNotBlocked()
    {
        if (!ScheduleFile.IsSupported)
        {
            return;
        }

        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var open = new ManualResetEventSlim();
        Task task = pool.Run(() =>
        {
            while (!open.IsSet)
            {
                Thread.SpinWait(1);
            }
        });
        try
        {
            Eventually.Be(pool, static s => s.Active == 1, "it runs");
            var watch = new WorkerWatch();
            watch.Look(pool.Set.Workers, 1, 1, collected: 0.5);
            int thread = pool.Set.Workers.Single(static it => it is { Slot: not null })!.ThreadId;
            double before = ThreadClock.Seconds(thread);
            Eventually.Be(() => ThreadClock.Seconds(thread) - before > 0.01, "it computes");
            watch.Look(pool.Set.Workers, 1.2, 1.2, collected: 0.69);
            watch.Of(pool.DefaultClass.Core).BlockedShare.ShouldBe(0, "its clocks tell of all the time that was no collection");
        }
        finally
        {
            open.Set();
        }

        Eventually.End(task);
    }

    [Fact]
    public void Look_TheSameItemAgain_IsRunningOnForSoLong()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var open = new ManualResetEventSlim();
        Task task = pool.Run(() => SpinWait.SpinUntil(() => open.IsSet));
        Eventually.Be(pool, static s => s.Active == 1, "it runs");
        var watch = new WorkerWatch();
        watch.Look(pool.Set.Workers, 10, 10, collected: 0);
        watch.RunningOn.Count.ShouldBe(0, "it may have begun just now");
        watch.Look(pool.Set.Workers, 10.5, 10.5, collected: 0);
        watch.RunningOn.Count.ShouldBe(1);
        watch.RunningOn[0].Seconds.ShouldBe(0.5);
        open.Set();
        Eventually.End(task);
        Eventually.Be(pool, static s => s.Active == 0, "it has ended");
        watch.Look(pool.Set.Workers, 11, 11, collected: 0);
        watch.RunningOn.Count.ShouldBe(0);
    }

    /// <summary>
    /// A class whose workers all lack a scheduler file cannot be judged. Files change hands slowly: most who have no work have some again soon.
    /// </summary>
    [Fact]
    public void Look_WorkerWithTheLastFileHasNoWork_TheFileGoesToOneWithWork()
    {
        if (!ScheduleFile.IsSupported)
        {
            return;
        }

        AdaptiveThreadPool pool = CreateFixedPool(2);
        WorkClass[] classes = [pool.GetClass("first"), pool.GetClass("second")];
        using var openFirst = new ManualResetEventSlim();
        using var openSecond = new ManualResetEventSlim();
        ManualResetEventSlim[] opens = [openFirst, openSecond];
        Task[] items = [classes[0].Run(() => openFirst.Wait()), classes[1].Run(() => openSecond.Wait())];
        var watch = new WorkerWatch(mostFiles: 1);
        double now = 1;
        bool IsJudged(int place, double later)
        {
            now += later;
            watch.Look(pool.Set.Workers, now, now, collected: 0);
            return !double.IsNaN(watch.Of(classes[place].Core).BlockedShare);
        }

        try
        {
            Eventually.Be(() => pool.Set.Workers.Count(static it => it?.Slot is not null) == 2, "both run");
            IsJudged(0, later: 0);
            int holder = IsJudged(0, later: 0.01) ? 0 : 1;
            int other = 1 - holder;
            IsJudged(other, later: 0.01).ShouldBeFalse("there is one file");
            opens[holder].Set();
            Eventually.Be(() => pool.Set.Workers.Count(static it => it?.Slot is not null) == 1, "one has no work");
            IsJudged(other, later: 0.01).ShouldBeFalse();
            IsJudged(other, later: 0.01).ShouldBeFalse("the file was given out a moment ago");

            // Taken, given out, and read twice.
            IsJudged(other, later: 0.02);
            IsJudged(other, later: 0.01);
            IsJudged(other, later: 0.01);
            IsJudged(other, later: 0.01).ShouldBeTrue();
        }
        finally
        {
            openFirst.Set();
            openSecond.Set();
        }

        Array.ForEach(items, static item => Eventually.End(item));
    }
}
