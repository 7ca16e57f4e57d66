using AdaptivePool.Dispatch;
using AdaptivePool.Internal;
using AdaptivePool.Sensing;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Sensing;

public sealed class WorkerWatchTests : PoolTest
{
    [Fact]
    public void Observe_WaitThatWasLookedAt_BeatsWhatTheClassUsuallyWaitsFor()
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
            watch.Observe(pool.Set.Workers, 0);
            ClassUse totals = watch.Of(core).ShouldNotBeNull();
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
    public void Observe_WorkersInAScope_HaveDeclaredTheirWaits()
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
            watch.Observe(pool.Set.Workers, 0);
            ClassUse totals = watch.Of(pool.DefaultClass.Core).ShouldNotBeNull();
            (totals.Busy, totals.Declared, totals.DeclaredShare).ShouldBe((2, 1, 0.5));
            open.Set();
            Eventually.End(declared);
            Eventually.End(other);
            Eventually.Be(pool, static s => s.Active == 0, "both have ended");
            watch.Observe(pool.Set.Workers, 1);
            (totals.Declared, totals.DeclaredShare).ShouldBe((0, 0));
        }
        finally
        {
            open.Set();
        }
    }

    /// <summary>Items that burn read as blocked where a quarter of the time went to collections, and the pool could grow for them.</summary>
    [Fact]
    public void Sample_TimeOfCollections_IsNotBlocked()
    {
        if (!ThreadMeter.HasFiles)
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
            watch.Sample(pool.Set.Workers, 1, collected: 0.5);
            int thread = pool.Set.Workers.Single(static it => it is { Slot: not null })!.ThreadId;
            double before = ThreadClock.Seconds(thread);
            Eventually.Be(() => ThreadClock.Seconds(thread) - before > 0.01, "it computes");
            watch.Sample(pool.Set.Workers, 1.2, collected: 0.69);
            watch.Of(pool.DefaultClass.Core).ShouldNotBeNull().BlockedShare.ShouldBe(0, "its clocks tell of all the time that was no collection");
        }
        finally
        {
            open.Set();
        }

        Eventually.End(task);
    }

    [Fact]
    public void Observe_TheSameItemAgain_IsRunningOnForSoLong()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var open = new ManualResetEventSlim();
        Task task = pool.Run(() => SpinWait.SpinUntil(() => open.IsSet));
        Eventually.Be(pool, static s => s.Active == 1, "it runs");
        var watch = new WorkerWatch();
        watch.Observe(pool.Set.Workers, 10);
        watch.RunningOn.ShouldBeEmpty("it may have begun just now");
        watch.Observe(pool.Set.Workers, 10.5);
        watch.RunningOn.ShouldHaveSingleItem().Seconds.ShouldBe(0.5);
        open.Set();
        Eventually.End(task);
        Eventually.Be(pool, static s => s.Active == 0, "it has ended");
        watch.Observe(pool.Set.Workers, 11);
        watch.RunningOn.ShouldBeEmpty();
    }
}
