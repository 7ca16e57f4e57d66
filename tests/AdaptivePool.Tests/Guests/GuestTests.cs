using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Reflection;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Guests;
using AdaptivePool.Runtime;

namespace AdaptivePool.Tests.Guests;

/// <summary>Work that runs where its server put it, as long as it does not wait.</summary>
public sealed class GuestTests : PoolTest
{
    private static readonly Func<Func<Task>, Task> s_run = static function => function();

    [Fact]
    public void TryRunAsGuest_ClassThatDoesNotWait_RunsOnTheCaller()
    {
        AdaptiveThreadPool pool = CreatePool();
        var changes = new ConcurrentQueue<WorkClassSnapshot>();
        pool.GuestsChanged += (_, e) => changes.Enqueue(e);
        WorkClass workClass = Earn(pool);

        Thread? ran = null;
        SynchronizationContext? inside = null;
        RunOnServer(() =>
        {
            Thread caller = Thread.CurrentThread;
            workClass.TryRunAsGuest(s_run, () => { (ran, inside) = (Thread.CurrentThread, SynchronizationContext.Current); return Task.CompletedTask; },
                out Task? task).ShouldBeTrue();
            task.IsCompletedSuccessfully.ShouldBeTrue();
            ran.ShouldBe(caller);
            SynchronizationContext.Current.ShouldBeNull("the caller gets back what it had");
        });

        inside.ShouldNotBeNull();
        WorkClassSnapshot snapshot = workClass.GetSnapshot();
        snapshot.HasGuests.ShouldBeTrue();
        snapshot.GuestRequests.ShouldBeGreaterThan(0);
        pool.GetSnapshot().Classes.Single(item => item.Name == workClass.Name).GuestRequests.ShouldBe(snapshot.GuestRequests);
        snapshot.GuestReason.ShouldContain("did not wait");
        Eventually.Be(() => changes.Any(e => e.HasGuests && e.Name == workClass.Name), "it is told");
    }

    [Fact]
    public void TryRunAsGuest_NothingIsKnownYet_DoesNotCall()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.GetClass("new").TryRunAsGuest(s_run, Fail, out Task? task).ShouldBeFalse();
        task.ShouldBeNull();
    }

    [Fact]
    public void TryRunAsGuest_OneSleepsLong_ClassIsTakenInAndTheRuntimesPoolIsLentAThread()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        (int Minimum, bool IsOwn) before = default;
        Eventually.Be(() => (before = Minimum()).IsOwn, "no other test is lent a thread");
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        Task sleeper = OnServer(() => workClass.TryRunAsGuest(s_run, () => { end.Wait(); return Task.CompletedTask; }, out _).ShouldBeTrue());

        Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "who waits long takes the class in");
        Eventually.Be(() => RuntimeMinimum.Process.Raised > 0, "its thread is replaced");
        RunOnServer(() => workClass.TryRunAsGuest(s_run, Fail, out _).ShouldBeFalse());
        end.Set();
        Eventually.End(sleeper);
        Eventually.Be(() => Minimum() == before, "the loan ends with the wait");
        workClass.GetSnapshot().GuestReason.ShouldContain("for longer than a few milliseconds");
    }

    private static (int Minimum, bool IsOwn) Minimum()
    {
        ThreadPool.GetMinThreads(out int minimum, out _);
        return (minimum, RuntimeMinimum.Process.Raised == 0);
    }

    [Fact]
    public void TryRunAsGuest_BurnsCpuLong_ClassIsTakenIn()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        bool ends = false;
        Task burner = OnServer(()
            => workClass.TryRunAsGuest(s_run, () => { while (!Volatile.Read(ref ends)) { Thread.SpinWait(100); } return Task.CompletedTask; }, out _)
            .ShouldBeTrue());

        Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "who burns the CPU for long belongs on a worker");
        Volatile.Write(ref ends, true);
        Eventually.End(burner);
    }

    [Fact]
    public void TryRunAsGuest_TakenIn_EarnsTrustAgain()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        RunOnServer(() => workClass.TryRunAsGuest(
            s_run,
            () => { Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "it is taken in"); return Task.CompletedTask; },
            out _));
        Earn(pool, workClass);
        workClass.GetSnapshot().HasGuests.ShouldBeTrue();
    }

    [Fact]
    public void Await_InAGuest_ComesBackToTheRuntimesPoolUnderTheSameContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        Task<(bool IsPoolThread, bool IsSame, AdaptiveThreadPool? Pool)> guest = null!;
        RunOnServer(() => workClass.TryRunAsGuest(s_run, () => guest = YieldAsync(), out _).ShouldBeTrue());
        Eventually.Result(guest).ShouldBe((true, true, null));

        static async Task<(bool, bool, AdaptiveThreadPool?)> YieldAsync()
        {
            SynchronizationContext? before = SynchronizationContext.Current;
            await Task.Yield();
            return (Thread.CurrentThread.IsThreadPoolThread, SynchronizationContext.Current == before, AdaptiveThreadPool.Current);
        }
    }

    [Fact]
    public void Await_ClassWasTakenInMeanwhile_GoesOnOnAWorker()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<AdaptiveThreadPool?> guest = null!;
        RunOnServer(() => workClass.TryRunAsGuest(s_run, () => guest = WaitAsync(ready.Task), out _).ShouldBeTrue());
        RunOnServer(() => workClass.TryRunAsGuest(
            s_run,
            () => { Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "it is taken in"); return Task.CompletedTask; },
            out _));
        ready.SetResult();
        Eventually.Result(guest).ShouldBe(pool);

        static async Task<AdaptiveThreadPool?> WaitAsync(Task task)
        {
            await task;
            return AdaptiveThreadPool.Current;
        }
    }

    [Fact]
    public void Post_OfAGuestsContext_FlowsTheExecutionContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        var local = new AsyncLocal<string?>();
        var seen = new TaskCompletionSource<string?>();
        RunOnServer(() => workClass.TryRunAsGuest(
            s_run,
            () =>
            {
                local.Value = "mine";
                IProgress<int> progress = new Progress<int>(_ => seen.SetResult(local.Value));
                progress.Report(1);
                return Task.CompletedTask;
            },
            out _).ShouldBeTrue());
        Eventually.Result(seen.Task).ShouldBe("mine");
    }

    [Fact]
    public void TryRunAsGuest_FunctionThrows_IsThrownHereAndNothingStays()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        RunOnServer(() =>
        {
            Should.Throw<InvalidTimeZoneException>(() => workClass.TryRunAsGuest(s_run, static () => throw new InvalidTimeZoneException(), out _));
            SynchronizationContext.Current.ShouldBeNull();
            workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _).ShouldBeTrue();
        });
    }

    [Fact]
    public void TryRunAsGuest_InsideAGuestOfAnotherClass_BothAreLeft()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass outer = Earn(pool, pool.GetClass("outer"));
        WorkClass inner = Earn(pool, pool.GetClass("inner"));
        RunOnServer(() =>
        {
            bool isRun = false;
            outer.TryRunAsGuest(
                s_run,
                () =>
                {
                    SynchronizationContext? mine = SynchronizationContext.Current;
                    isRun = inner.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _);
                    SynchronizationContext.Current.ShouldBe(mine);
                    return Task.CompletedTask;
                },
                out _).ShouldBeTrue();
            isRun.ShouldBeTrue();
            SynchronizationContext.Current.ShouldBeNull();
        });
    }

    [Fact]
    public void StrictMode_InAGuest_IsHonoured()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        using var never = new ManualResetEventSlim(false, spinCount: 0);
        RunOnServer(() => Should.Throw<BlockingNotAllowedException>(() => workClass.TryRunAsGuest(
            s_run,
            () =>
            {
                AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
                never.Wait();
                return Task.CompletedTask;
            },
            out _)).ClassName.ShouldBe(workClass.Name));
    }

    [Fact]
    public void TryRunAsGuest_AsManyWaitForLongAsThereAreCores_ClassIsTakenIn()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        Task[] guests = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => OnServer(() =>
            workClass.TryRunAsGuest(s_run, () => { end.Wait(); return Task.CompletedTask; }, out Task? _)))];
        Eventually.Be(() => !workClass.GetSnapshot().HasGuests, "a crowd that waits takes the class in");
        end.Set();
        Array.ForEach(guests, static guest => Eventually.End(guest));
    }

    [Fact]
    public void Wait_InACrowdWhileTrustIsDecidedOn_DoesNotWaitForThat()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        var deciding = (Lock)typeof(GuestClass).GetField("_deciding", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(workClass.Guests)!;
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        ConcurrentBag<Thread> waiting = [];
        lock (deciding)
        {
            Task[] guests = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => OnServer(() =>
                workClass.TryRunAsGuest(
                    s_run,
                    () =>
                    {
                        waiting.Add(Thread.CurrentThread);
                        end.Wait();
                        return Task.CompletedTask;
                    },
                    out Task? _)))];
            Eventually.Be(
                () => waiting.Count == guests.Length && waiting.All(static it => it.ThreadState.HasFlag(ThreadState.WaitSleepJoin)), "they are a crowd");
            end.Set();
            Array.ForEach(guests, static guest => Eventually.End(guest));
        }
    }

    [Theory]
    [InlineData("never")]
    [InlineData("bounded queue")]
    [InlineData("bounded time")]
    [InlineData("strict")]
    [InlineData("weight")]
    [InlineData("controller")]
    [InlineData("seed")]
    public void TryRunAsGuest_ClassOrPoolSaysWhereWorkRuns_HasNone(string what)
    {
        AdaptiveThreadPool pool = CreatePool(what switch
        {
            "never" => new AdaptivePoolOptions { Guests = false },
            "bounded queue" => new AdaptivePoolOptions { MaxQueued = 100_000 },
            "bounded time" => new AdaptivePoolOptions { MaxQueueTime = TimeSpan.FromHours(1) },
            "controller" => new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(2) },
            "seed" => new AdaptivePoolOptions { HillClimbing = HillClimbingOptions.SeedWave },
            _ => new AdaptivePoolOptions(),
        });
        WorkClass workClass = pool.GetClass("own");
        workClass.BlockingAction = what == "strict" ? BlockingAction.Warn : null;
        workClass.Weight = what == "weight" ? 1 : null;
        for (int i = 0; i < 5; i++)
        {
            RunShortItems(workClass);
            RunOnServer(() => workClass.TryRunAsGuest(s_run, Fail, out _).ShouldBeFalse());
        }
    }

    [Fact]
    public void TryRunAsGuest_TrustedClassGetsASettingThatSaysWhereWorkRuns_IsTakenIn()
    {
        AdaptiveThreadPool pool = CreatePool();
        foreach (Action<WorkClass> set in new Action<WorkClass>[]
            { static it => it.MaxQueued = 100_000, static it => it.Weight = 1, static it => it.BlockingAction = BlockingAction.Warn })
        {
            WorkClass workClass = Earn(pool, pool.GetClass(set.Method.Name));
            set(workClass);
            RunOnServer(() => workClass.TryRunAsGuest(s_run, Fail, out _).ShouldBeFalse());
            WorkClassSnapshot snapshot = workClass.GetSnapshot();
            snapshot.HasGuests.ShouldBeFalse();
            snapshot.GuestReason.ShouldContain("a bounded queue, a weight or a blocking action");
        }
    }

    [Fact]
    public void TryRunAsGuest_OnAWorker_IsQueuedAsEver()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        Eventually.Result(pool.Run(() => workClass.TryRunAsGuest(s_run, Fail, out _))).ShouldBeFalse();
    }

    /// <summary>Where sockets complete inline: it reads all of them, and is lent no thread while a guest waits there.</summary>
    [Fact]
    public void TryRunAsGuest_OnAThreadOutsideOfTheRuntimesPool_IsQueuedAsEver()
    {
        WorkClass workClass = Earn(CreatePool());
        bool isGuest = true;
        Thread sockets = new(() => isGuest = workClass.TryRunAsGuest(s_run, Fail, out _));
        sockets.Start();
        sockets.Join();
        isGuest.ShouldBeFalse();
    }

    [Fact]
    public void TryRunAsGuest_PoolIsClosed_DoesNotCall()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass workClass = Earn(pool);
        pool.Dispose();
        RunOnServer(() => workClass.TryRunAsGuest(s_run, Fail, out _).ShouldBeFalse());
    }

    [Fact]
    public void TryRunAsGuest_NoFunction_Throws() =>
        Should.Throw<ArgumentNullException>(() => CreatePool().DefaultClass.TryRunAsGuest<int>(null!, 0, out _)).ParamName.ShouldBe("function");

    [Fact]
    public void GuestDecisions_EarnedAndLost_AreCountedWithTheReason()
    {
        ConcurrentBag<string> counted = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, l) =>
            {
                if (instrument.Name == MetricNames.GuestDecisions)
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => counted.Add(string.Join('/', tags.ToArray().Select(static tag => tag.Value))));
        listener.Start();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "counts guests" });
        WorkClass workClass = Earn(pool);
        Eventually.Be(() => counted.Contains("counts guests/default/True/Earned"), "that it is trusted");
        workClass.Guests!.TakeIn(TrustChange.Long);
        Eventually.Be(() => counted.Contains("counts guests/default/False/Long"), "that it no longer is");
    }

    [Fact]
    public void GuestsChanged_HandlerThrows_IsCountedAndChangesNothing()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.GuestsChanged += static (_, _) => throw new InvalidTimeZoneException();
        Earn(pool);
        Eventually.Be(pool, static s => s.Faulted > 0, "it is counted");
        pool.DefaultClass.GetSnapshot().HasGuests.ShouldBeTrue();
    }

    private static Task Fail() => throw new InvalidOperationException("must not be called");

    internal static WorkClass Earn(AdaptiveThreadPool pool) => Earn(pool, pool.DefaultClass);

    // Its items run on workers first, as requests do; a mean over a machine that is busy may be long for a while.
    private static WorkClass Earn(AdaptiveThreadPool pool, WorkClass workClass)
    {
        bool isGuest = false;
        Eventually.Be(
            () =>
            {
                RunShortItems(workClass);
                RunOnServer(() => isGuest = workClass.TryRunAsGuest(s_run, static () => Task.CompletedTask, out _));
                return isGuest;
            },
            "short items that do not wait earn trust");
        return workClass;
    }

    private static void RunShortItems(WorkClass workClass)
    {
        Task[] items = [.. Enumerable.Range(0, 512).Select(_ => workClass.Run(static () => { }))];
        Array.ForEach(items, static item => Eventually.End(item));
    }

    // A server's thread is one of the runtime's pool.
    private static Task OnServer(Action action) => Task.Run(action);

    private static void RunOnServer(Action action) => Eventually.End(OnServer(action));
}
