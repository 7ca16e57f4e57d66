using System.Collections.Concurrent;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Sensing;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class SizingLoopTests : PoolTest
{
    [Fact]
    public void Close_LastCallThrows_EndsAllTheSameAndIsAFault()
    {
        var surroundings = new PoolSurroundings { Budget = new CpuBudget() };
        Exception? fault = null;
        var set = new WorkerSet("closing", 4, 0, 1, surroundings.Threads, exception => fault = exception);
        var starter = new StarterLoop(set, "closing", surroundings.Threads);
        var end = new PoolEnd(set, static () => throw new InvalidOperationException("injected"));
        var loop = new SizingLoop(set, new AdaptivePoolOptions(), starter, static _ => new FixedController(1), static _ => { }, static _ => { }, surroundings,
            end);
        loop.Start(surroundings.OwnThreads);
        Eventually.End(loop.Close(), "whoever disposes the pool waits for this");
        fault.ShouldBeOfType<InvalidOperationException>();
        set.Faulted.ShouldBe(1);

        // After the end: nobody listens, and nobody is told off.
        loop.Request(new SizeRequest(1, 2));
    }

    /// <summary>Each look looks at the memory when the last time is long enough ago, so that looks can be counted from outside.</summary>
    [Fact]
    public void Look_NothingWaitsOrRuns_IsTheLast()
    {
        int looks = 0;
        MemoryUse CountLook() => new(Interlocked.Increment(ref looks) * 0.0, 1e12);

        var options = new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, Sizing = PoolSizing.Fixed(1) };
        AdaptiveThreadPool pool = CreatePool(options, new PoolSurroundings { Budget = Budget, RuntimePool = null, Heap = CountLook });
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(() => Volatile.Read(ref looks) > 0, "it looks when there is work");
        using var pause = new ManualResetEventSlim();

        // It may be in the middle of its last look: what counts is that it comes to rest.
        Eventually.Be(
            () =>
            {
                int before = Volatile.Read(ref looks);
                bool sleeps = true;
                for (int i = 0; i < 60 && sleeps; i++)
                {
                    pause.Wait(TimeSpan.FromMilliseconds(10));
                    sleeps = pool.Sizing.IsAsleep;
                }

                return sleeps && Volatile.Read(ref looks) == before;
            },
            "the sizing thread sleeps for good");
        int atRest = Volatile.Read(ref looks);
        pool.Resize(1, 2);
        Eventually.Be(() => Volatile.Read(ref looks) > atRest, "a wish wakes it");
    }

    [Fact]
    public void Look_GoesWrongEachTime_IsToldOnceAndThereAreMore()
    {
        AdaptiveThreadPool pool = CreatePool();
        var told = new ConcurrentQueue<Exception>();
        pool.Faulted += (_, fault) => told.Enqueue(fault);
        int looks = 0;
        Action<bool> onLook = pool.Set.OnLook;
        pool.Set.OnLook = _ =>
        {
            Interlocked.Increment(ref looks);
            throw new InvalidOperationException("injected");
        };
        pool.Resize(1, 2);
        Eventually.Be(() => Volatile.Read(ref looks) > 3, "a look that goes wrong is not the last");
        pool.Set.OnLook = onLook;
        told.ShouldHaveSingleItem().Message.ShouldBe("injected");
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
    }

    /// <summary>Not at the first look, but then it is: a controller is told how much of the machine is used.</summary>
    [Fact]
    public void Look_AfterTheFirst_ReadsTheUseOfTheMachine()
    {
        var controller = new ReadingController();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Custom(() => controller), InitialThreads = 2, MaxThreads = 8 });
        bool ends = false;
        Task[] loops = [.. Enumerable.Range(0, 40).Select(_ => Loop())];
        Eventually.Be(() => controller.KnowsUse, "own and idle CPU are known after a while");
        Volatile.Write(ref ends, true);
        Array.ForEach(loops, static t => Eventually.End(t));

        async Task Loop()
        {
            while (!Volatile.Read(ref ends))
            {
                await pool.Run(static () => Thread.Sleep(1)).ConfigureAwait(false);
            }
        }
    }

    /// <summary>One class of a fixed size among others had all of them take whatever they wanted of the maximum, and who came first left nothing.</summary>
    [Fact]
    public void Limits_OneClassHasAFixedSize_TheOthersShareWhatItLeaves()
    {
        const int Most = 12;
        int made = 0;

        // The first says where classes begin, the second is for work in flight, the third for the class that has work first.
        PoolSizing mixed = PoolSizing.Custom(
            () => Interlocked.Increment(ref made) == 3 ? new FixedController(4) : new GroupSizeController("groups", static () => Most));
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = Most, Sizing = mixed });
        using var open = new ManualResetEventSlim();
        List<Task> items = [];
        try
        {
            Block("fixed");
            Eventually.Be(pool, static s => s.Classes.Any(static c => c is { Name: "fixed", State: "Fixed", Limit: 4 }), "it has its size");
            Block("one");
            Block("other");
            Eventually.Be(
                pool,
                static s => LimitOf(s, "fixed") == 4 && LimitOf(s, "one") >= 3 && LimitOf(s, "other") >= 3 && LimitOf(s, "one") + LimitOf(s, "other") == 7,
                "of eight one is for work in flight");
        }
        finally
        {
            open.Set();
        }

        items.ForEach(static item => Eventually.End(item));

        void Block(string name) => items.AddRange(Enumerable.Range(0, 2 * Most).Select(_ => pool.GetClass(name).Run(open.Wait)));

        static int LimitOf(PoolSnapshot s, string name) => s.Classes.Single(c => c.Name == name).Limit;
    }

    /// <summary>
    /// Items that are short are left to the worker that runs. When its item runs on, a look wakes another one; that is the net that stress does without.
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Look_AShortItemIsHeldUp_WakesAnotherWorkerUnlessThereIsNoNet(bool hasNet)
    {
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(2) }, new PoolSurroundings { Budget = Budget, RuntimePool = null, HasSafetyNet = hasNet });
        Eventually.Be(
            () =>
            {
                Eventually.End(pool.Run(static () => { }));
                return pool.DefaultClass.Core.WakeThreshold > 0;
            },
            "items that do nothing are short");
        int looks = 0;
        Action<bool> onLook = pool.Set.OnLook;
        pool.Set.OnLook = waiting =>
        {
            Interlocked.Increment(ref looks);
            onLook(waiting);
        };
        Eventually.Be(pool, static s => s.Idle == s.Existing, "the last of them is recorded");
        bool opens = false;
        using var runs = new ManualResetEventSlim();
        Task runsOn = pool.Run(() =>
        {
            runs.Set();
            SpinWait.SpinUntil(() => Volatile.Read(ref opens));
        });
        Eventually.Set(runs, "it runs");
        Task heldUp = pool.Run(static () => { });
        if (hasNet)
        {
            Eventually.End(heldUp, "the other worker takes it");
        }
        else
        {
            int before = Volatile.Read(ref looks);
            Eventually.Be(() => Volatile.Read(ref looks) > before + 20, "it is seen that something waits");
            heldUp.IsCompleted.ShouldBeFalse();
        }

        Volatile.Write(ref opens, true);
        Eventually.End(runsOn);
        Eventually.End(heldUp);
    }

    /// <summary>Nobody has work: what is looked at for sizing cannot have changed, and looking at it costs more than the threads that end.</summary>
    [Fact]
    public void Sleep_ThreadsEndWhileNobodyHasWork_WithoutALook()
    {
        const int Threads = 12;
        var options = new AdaptivePoolOptions { MinThreads = 1, IdleTimeout = TimeSpan.FromSeconds(2), Sizing = PoolSizing.Fixed(Threads) };
        AdaptiveThreadPool pool = CreatePool(options);
        int looks = 0;
        Action<bool> onLook = pool.Set.OnLook;
        pool.Set.OnLook = waiting =>
        {
            Interlocked.Increment(ref looks);
            onLook(waiting);
        };
        using var all = new Barrier(Threads);
        Task[] burst = [.. Enumerable.Range(0, Threads).Select(_ => pool.Run(() => all.SignalAndWait(Eventually.Patience)))];
        Array.ForEach(burst, static item => Eventually.End(item));
        using var pause = new ManualResetEventSlim();
        int atRest = 0;
        Eventually.Be(
            () =>
            {
                bool wasAtRest = IsAtRest();
                atRest = Volatile.Read(ref looks);
                pause.Wait(TimeSpan.FromMilliseconds(250));
                return wasAtRest && IsAtRest() && atRest == Volatile.Read(ref looks);
            },
            "it comes to rest: between two looks while threads run are 100 ms");
        Eventually.Be(() => pool.Set.Existing <= 1, "all that are superfluous end");
        Volatile.Read(ref looks).ShouldBe(atRest);
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
        Eventually.Be(pool, static s => s.Completed == Threads + 1, "what comes afterwards runs");

        bool IsAtRest() => pool.Sizing.IsAsleep && pool.Set.Idle.Count == pool.Set.Existing && pool.Set.NextUsed(0) is null;
    }

    private sealed class ReadingController : IPoolController
    {
        private bool _knowsUse;

        public bool KnowsUse => Volatile.Read(ref _knowsUse);

        public SizeDecision Update(in PoolSample sample)
        {
            if (sample.Utilisation is >= 0 and <= 1)
            {
                Volatile.Write(ref _knowsUse, true);
            }

            return new(sample.Target, TimeSpan.FromMilliseconds(10), DecisionReason.Hold, new ControllerTrace { Reason = DecisionReason.Hold });
        }

        public void Reinitialize(int target, DecisionReason reason)
        {
        }
    }
}
