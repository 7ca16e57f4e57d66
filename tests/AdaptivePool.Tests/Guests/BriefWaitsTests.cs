using AdaptivePool.Dispatch;
using AdaptivePool.Guests;
using AdaptivePool.Internal;
using AdaptivePool.Runtime;
using AdaptivePool.Stacks;
using AdaptivePool.Tests.Sensing;

namespace AdaptivePool.Tests.Guests;

/// <summary>
/// Classes whose requests wait briefly, and run where the server put them: while the machine is full and hardly any others arrive, or cores are idle and few
/// wait at once.
/// </summary>
public sealed partial class BriefWaitsTests : PoolTest
{
    private const double Full = 0;

    /// <summary>So many in a look that five of them run or wait at once for each core.</summary>
    private static readonly int s_many = 2_000 * Environment.ProcessorCount;
    private static readonly Func<Func<Task>, Task> s_run = static function => function();

    // The clock that trust is lost by is the machine's. So far ahead of it, no look is due but those of the test, and no loss is forgotten.
    private TimeSpan _now = System.Diagnostics.Stopwatch.GetElapsedTime(0) + TimeSpan.FromMinutes(30);

    [Fact]
    public void Look_BriefWaitsOnAFullMachine_HasGuestsAfterASecond()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Create(pool);
        for (int i = 0; i < LooksToBegin - 1; i++)
        {
            Look(pool, Full, workClass);
            workClass.Guests!.IsGuest.ShouldBeFalse();
        }

        Look(pool, Full, workClass);
        workClass.Guests!.IsGuest.ShouldBeTrue();
        WorkClassSnapshot snapshot = workClass.GetSnapshot();
        snapshot.HasGuests.ShouldBeTrue();
        snapshot.GuestReason.ShouldBe("its requests ran for 500 us on average, waits included, on a full machine with hardly any others");

        Thread? ran = null;
        RunOnServer(() =>
        {
            workClass.TryRunAsGuest(s_run, () => { ran = Thread.CurrentThread; return Task.CompletedTask; }, out _).ShouldBeTrue();
            ran.ShouldBe(Thread.CurrentThread);
        });
    }

    [Theory]
    [InlineData("idle")]
    [InlineData("unknown")]
    [InlineData("others")]
    [InlineData("tasks")]
    [InlineData("long")]
    [InlineData("few")]
    [InlineData("pauses")]
    [InlineData("bounded")]
    [InlineData("weight")]
    public void Look_SomethingSpeaksForWorkers_HasNone(string what)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MaxThreads = AdaptivePoolOptions.DefaultMaxThreads - (what == "bounded" ? 1 : 0),
        });
        WorkClass workClass = Create(pool);
        WorkClass other = Create(pool, "other");
        workClass.Weight = what == "weight" ? 1 : null;
        if (what == "tasks")
        {
            Core(workClass).CountSampledWait(WaitTarget.Task);
        }

        for (int i = 0; i < 3 * LooksToBegin; i++)
        {
            Core(other).AddCompleted(what == "others" ? 3 : 0);
            _now += what == "pauses" ? BriefWaitRule.Late : TimeSpan.Zero;
            double idle = what switch { "idle" => 0.1, "unknown" => double.NaN, _ => Full };
            Look(pool, idle, workClass, what == "few" ? BriefWaitRule.FewestRequests - 1 : 100, what == "long" ? 3e-3 : 0.5e-3);
            workClass.Guests!.IsGuest.ShouldBeFalse();
        }
    }

    [Fact]
    public void Look_SystemAllowsFewerThreads_HasGuestsAllTheSame()
    {
        using SystemFolder system = new SystemFolder().WithVersion2("/web");
        system.Write("/sys/fs/cgroup/web/pids.max", "4915\n");
        system.Write("/sys/fs/cgroup/web/pids.current", "50\n");
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = null, Root = system.Root });
        pool.GetSnapshot().MaxThreads.ShouldBeLessThan(AdaptivePoolOptions.DefaultMaxThreads);
        Begin(pool);
    }

    [Fact]
    public void Look_TwoClassesWaitBriefly_AreNoOthersToEachOther()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass one = Create(pool);
        WorkClass two = Create(pool, "two");
        for (int i = 0; i < LooksToBegin; i++)
        {
            Serve(two, 100, 0.5e-3);
            Look(pool, Full, one);
        }

        one.Guests!.IsGuest.ShouldBeTrue();
        two.Guests!.IsGuest.ShouldBeTrue();
    }

    [Theory]
    [InlineData("Idle", 0.5, 0, "many requests wait at once, and the machine has idle cores")]
    [InlineData("Others", 0, 100, "requests that wait would hold up those of other classes")]
    public void Look_ReasonToEndStays_EndsAndTakesTwiceAsLongToEarn(string what, double idle, int others, string reason)
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        WorkClass other = Create(pool, "other");
        for (int i = 0; i < BriefWaitRule.LooksToEnd; i++)
        {
            workClass.Guests!.IsGuest.ShouldBeTrue(what);
            Core(other).AddCompleted(others);
            Look(pool, idle, others == 0 ? workClass : null, s_many);
        }

        workClass.Guests!.IsGuest.ShouldBeFalse();
        workClass.Guests.WaitsBriefly.ShouldBeFalse();
        workClass.GetSnapshot().GuestReason.ShouldBe(reason);

        int looks = 0;
        while (!workClass.Guests.IsGuest)
        {
            looks++;
            Look(pool, Full, workClass);
        }

        looks.ShouldBe(2 * (LooksToBegin - 1));
    }

    [Fact]
    public void Look_GuestsOfAnotherClassThatDoNotWait_AreOthers()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass other = GuestTests.Earn(pool);
        WorkClass workClass = Begin(pool);
        for (int i = 0; i < BriefWaitRule.LooksToEnd; i++)
        {
            for (int request = 0; request < BriefWaitRule.FewestRequests; request++)
            {
                Guest(other);
            }

            Look(pool, Full);
        }

        workClass.Guests!.IsGuest.ShouldBeFalse();
        other.Guests!.IsGuest.ShouldBeTrue("it does not wait");
    }

    [Fact]
    public void Look_FirstRequestAfterAPauseIsAnother_SaysNothing()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        Core(Create(pool, "other")).AddCompleted(1);
        Look(pool, Full);
        MayRun(workClass).ShouldBeTrue("one request alone is no part of what comes");
    }

    [Fact]
    public void Look_ReasonToEnd_RequestsGoToWorkersUntilOneHasNone()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        MayRun(workClass).ShouldBeTrue();
        Look(pool, BriefWaitRule.IdleToHoldUp, workClass, s_many);
        MayRun(workClass).ShouldBeTrue("the next look may say something else");
        Look(pool, 0.6, workClass, s_many);
        MayRun(workClass).ShouldBeFalse();
        workClass.Guests!.IsGuest.ShouldBeTrue("one look costs no trust");
        Look(pool, BriefWaitRule.IdleToHoldUp, workClass, s_many);
        MayRun(workClass).ShouldBeFalse();
        Look(pool, Full, workClass);
        MayRun(workClass).ShouldBeTrue();
    }

    [Fact]
    public void Look_ReasonToEndPasses_Stays()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        for (int i = 0; i < 3 * (BriefWaitRule.LooksToEnd + 1); i++)
        {
            // They are guests again after the first look without a reason, and the second looks at them.
            Look(pool, i % (BriefWaitRule.LooksToEnd + 1) < 2 ? Full : 0.9, workClass, s_many);
        }

        workClass.Guests!.IsGuest.ShouldBeTrue();
    }

    [Fact]
    public void Look_ReasonIsThereWheneverTheyAreGuests_Ends()
    {
        // The runtime's pool has too few threads to use all cores, and workers have not: half of the time cores were idle, for good.
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        int looks = 0;
        while (workClass.Guests!.IsGuest && looks++ < 100)
        {
            Look(pool, MayRun(workClass) ? 0.6 : Full, workClass, s_many);
        }

        looks.ShouldBe((2 * BriefWaitRule.LooksToEnd) - 1);
    }

    [Fact]
    public void Look_PoolWasBoundedMeanwhile_Ends()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        pool.Resize(1, 100);
        Eventually.Be(() => pool.GetSnapshot().MaxThreads == 100, "bounds are put in force by the sizing thread");
        Look(pool, Full);
        workClass.Guests!.IsGuest.ShouldBeFalse();
        workClass.Guests.Reason.ShouldBe("requests wait, and the pool's threads are bounded");
    }

    [Fact]
    public void TryRunAsGuest_ManyWaitAtOnce_AreNoCrowd()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        using var end = new ManualResetEvent(false);
        for (int round = 0; round < 10; round++)
        {
            using var all = new CountdownEvent(Environment.ProcessorCount + 1);
            end.Reset();
            Task[] guests = [.. Enumerable.Range(0, all.InitialCount).Select(_ => OnServer(() => workClass.TryRunAsGuest(
                s_run,
                () =>
                {
                    all.Signal();
                    end.WaitOne(1);
                    return Task.CompletedTask;
                },
                out Task? _)))];
            Array.ForEach(guests, static guest => Eventually.End(guest));
        }

        workClass.Guests!.Reason.ShouldNotContain("as many requests waited at once");
    }

    [Fact]
    public void TryRunAsGuest_OneWaitsForLong_ClassIsTakenInAndTheRuntimesPoolIsLentAThread()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        Task sleeper = OnServer(() => workClass.TryRunAsGuest(s_run, () => { end.Wait(); return Task.CompletedTask; }, out _).ShouldBeTrue());
        Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "who waits long takes the class in");
        Eventually.Be(() => RuntimeMinimum.Process.Raised > 0, "its thread is replaced");
        end.Set();
        Eventually.End(sleeper);
        Eventually.Be(() => RuntimeMinimum.Process.Raised == 0, "the loan ends with the wait");
    }

    [Fact]
    public void TryRunAsGuest_GoesOnAfterAnAwait_IsNotTimedAndSoTakenIn()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        var end = new TaskCompletionSource();
        RunOnServer(() =>
        {
            int count = 0;
            while (workClass.Guests!.IsGuest && count++ < 1_000)
            {
                workClass.TryRunAsGuest(s_run, () => end.Task, out _);
            }
        });
        end.SetResult();
        workClass.Guests!.IsGuest.ShouldBeFalse();
        workClass.Guests.Reason.ShouldBe("requests that wait run for longer on average, or go on after an await");
    }

    [Fact]
    public void TryRunAsGuest_Throws_IsTimedAllTheSame()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        long timed = Core(workClass).Runs!.Total.Items;
        RunOnServer(() =>
        {
            for (int i = 0; i < 64; i++)
            {
                Should.Throw<TimeoutException>(() => workClass.TryRunAsGuest(s_run, static () => throw new TimeoutException(), out _));
            }
        });
        Core(workClass).Runs!.Total.Items.ShouldBe(timed + 1);
    }

    [Theory]
    [InlineData(2 * BriefWaitRule.LongestToStay, false)]
    [InlineData(1.5 * BriefWaitRule.LongestToBegin, true)]
    public void Look_TimedRequestsRunLong_EndsSoon(double mean, bool isHeldUp)
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Begin(pool);
        if (isHeldUp)
        {
            // They ran on workers for good, and the class was told to have guests.
            workClass.Guests!.HoldUp();
        }

        for (int i = 0; i < BriefWaitRule.LooksToEnd; i++)
        {
            Core(workClass).Runs!.End(new ThreadUse(0, -1), mean);
            Look(pool, Full);
        }

        workClass.Guests!.IsGuest.ShouldBeFalse();
    }

    /// <summary>The first look does not know how full the machine was; from then on it takes a second.</summary>
    private static int LooksToBegin => (int)(GuestRule.Calm / BriefWaitRule.Period) + 1;

    private static ClassCore<RealSync> Core(WorkClass workClass) => workClass.Core;

    private static WorkClass Create(AdaptiveThreadPool pool, string name = "brief")
    {
        WorkClass workClass = pool.GetClass(name);
        RunOnServer(() => workClass.TryRunAsGuest(s_run, static () => throw new InvalidOperationException("not trusted yet"), out _).ShouldBeFalse());
        return workClass;
    }

    private WorkClass Begin(AdaptiveThreadPool pool, string name = "brief")
    {
        WorkClass workClass = Create(pool, name);
        for (int i = 0; i < LooksToBegin; i++)
        {
            Look(pool, Full, workClass);
        }

        workClass.Guests!.WaitsBriefly.ShouldBeTrue();
        return workClass;
    }

    private void Look(AdaptiveThreadPool pool, double idle, WorkClass? served = null, int requests = 100, double mean = 0.5e-3)
    {
        if (served is not null)
        {
            Serve(served, requests, mean);
        }

        _now += BriefWaitRule.Period;
        pool.BriefWaits.Look(_now, idle);
    }

    private static void Serve(WorkClass workClass, int requests, double mean)
    {
        ClassCore<RealSync> core = workClass.Core;
        core.AddCompleted(requests);
        core.CountWait(isDeclared: false);
        core.Runs!.End(new ThreadUse(0, -1), mean);
    }

    private static void Guest(WorkClass workClass) => MayRun(workClass);

    private static bool MayRun(WorkClass workClass)
    {
        bool ran = false;
        RunOnServer(() => ran = workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _));
        return ran;
    }

    // A server's thread is one of the runtime's pool.
    private static Task OnServer(Action action) => Task.Run(action);

    private static void RunOnServer(Action action) => Eventually.End(OnServer(action));
}
