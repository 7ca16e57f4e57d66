using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using AdaptivePool.Control;
using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests;

/// <summary>User code that the pool's own threads call and that throws: the process lives, somebody is told once, and the last limit is kept.</summary>
public sealed class UserCodeOnPoolThreadsTests : PoolTest
{
    [Fact]
    public void Controller_Throws_ItIsToldOnceAndThePoolGoesOn()
    {
        var controller = new FailingController();
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { Name = "controller", Sizing = PoolSizing.Custom(() => controller), InitialThreads = 2, MaxThreads = 8 });
        ConcurrentQueue<Exception> told = Faults(pool);
        int completed = 0;
        bool enough = false;
        Task[] loops = [.. Enumerable.Range(0, 40).Select(_ => Loop(pool, () => Interlocked.Increment(ref completed) > 0 && !Volatile.Read(ref enough)))];
        Eventually.Be(() => !told.IsEmpty, "what the controller throws is told");
        int before = Volatile.Read(ref completed);
        Eventually.Be(() => Volatile.Read(ref completed) > before + 2000, "the pool goes on");
        Volatile.Write(ref enough, true);
        Array.ForEach(loops, static t => Eventually.End(t));
        told.Count.ShouldBe(1);
        controller.Calls.ShouldBe(1, "it is not asked again");
    }

    [Fact]
    public void CustomSizing_ThrowsForALaterClass_ToldAndTheClassWorks()
    {
        int made = 0;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            Name = "factory",
            Sizing = PoolSizing.Custom(() => Interlocked.Increment(ref made) == 1 ? new HillClimbingController()
                : throw new InvalidOperationException("factory")),
        });
        ConcurrentQueue<Exception> told = Faults(pool);
        Eventually.Result(pool.GetClass("later").Run(static () => 1)).ShouldBe(1);
        Eventually.Be(() => !told.IsEmpty, "what the factory throws is told");
        told.ShouldAllBe(static e => e.Message == "factory");
        Eventually.Result(pool.Run(static () => 2)).ShouldBe(2);
    }

    [Fact]
    public void Class_RunsItsFirstItemWhileSizingLooksAtALaterOne_HasAControllerAllTheSame()
    {
        int made = 0;
        AdaptiveThreadPool? pool = null;
        Task<int>? item = null;
        using var created = new ManualResetEventSlim();
        pool = CreatePool(new AdaptivePoolOptions
        {
            Name = "two classes",
            Sizing = PoolSizing.Custom(() =>
            {
                // The first two are for the start of the pool and for work in flight; the next one is for the later class.
                if (Interlocked.Increment(ref made) == 3)
                {
                    Eventually.Set(created, "the pool and its classes are there");
                    Eventually.Result(Volatile.Read(ref item)!).ShouldBe(1);
                    Eventually.Result(pool!.GetClass("sooner").Run(static () => 2)).ShouldBe(2);
                    Eventually.Be(() => pool.Set.Idle.Count == pool.Set.Existing, "no thread gives a reason for another look");
                }

                return new HillClimbingController();
            }),
        });
        ConcurrentQueue<Exception> told = Faults(pool);
        pool.GetClass("sooner");
        Volatile.Write(ref item, pool.GetClass("later").Run(static () => 1));
        created.Set();
        Eventually.Be(() => Volatile.Read(ref made) > 3, "a class that was used has a controller");
        told.ShouldBeEmpty();
    }

    [Fact]
    public void MeterListener_Throws_ToldOnceAndThePoolGoesOn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "metered" });
        ConcurrentQueue<Exception> told = Faults(pool);
        int resized = 0;
        pool.ClassResized += (_, _) => Interlocked.Increment(ref resized);
        using (Listen("metered"))
        {
            pool.Resize(1, 4);
            Eventually.Be(() => !told.IsEmpty && Volatile.Read(ref resized) > 0, "a decision is counted, which throws, and told all the same");
            int before = Volatile.Read(ref resized);
            pool.Resize(1, 5);
            Eventually.Be(() => Volatile.Read(ref resized) > before, "later ones are told, too");
        }

        told.Count.ShouldBe(1);
        told.Single().Message.ShouldBe("listener");
    }

    [Fact]
    public void MeterListener_ThrowsAtADeadlock_TheEventIsRaisedAllTheSame()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { Name = "metered deadlock", MaxThreads = 2, DeadlockTimeout = TimeSpan.FromMilliseconds(100),
            EmergencyThreads = 1 });
        using var open = new ManualResetEventSlim();
        using var raised = new ManualResetEventSlim();
        pool.DeadlockChanged += (_, e) =>
        {
            raised.Set();
            throw new InvalidOperationException("handler");
        };
        using (Listen("metered deadlock"))
        {
            Task stuck = pool.Run(open.Wait);
            Task opens = pool.Run(open.Set);
            Eventually.Set(raised, "a listener that throws must not keep handlers from being told");
            Eventually.End(opens, "nor emergency threads from being lent");
            Eventually.End(stuck);
        }
    }

    [Fact]
    public void Handlers_Throw_EachIsToldAndThePoolGoesOn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "handlers", BlockingAction = BlockingAction.Warn });
        ConcurrentQueue<Exception> told = Faults(pool);
        pool.ClassResized += static (_, _) => throw new InvalidOperationException("resized");
        pool.BlockingFound += static (_, _) => throw new InvalidOperationException("found");
        pool.Resize(1, 4);
        using var open = new ManualResetEventSlim();
        Task waits = pool.Run(open.Wait);
        Eventually.Be(() => told.Any(static e => e.Message == "resized") && told.Any(static e => e.Message == "found"), "what handlers throw is told");
        open.Set();
        Eventually.End(waits);
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
    }

    [Theory]
    [InlineData("at once")]
    [InlineData("later")]
    public void Handlers_AsynchronousOnesThrow_EachIsToldAndTheProcessLives(string when)
    {
        using var child = new ChildRun("handler", when);
        child.Output().Trim().ShouldBe("resized, warned");
        child.End().ShouldBe(6);
    }

    // The log of a host is one of the handlers: it would have nothing to say.
    [Fact]
    public void Handlers_TheFirstThrows_TheOthersAreCalled()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "handlers", BlockingAction = BlockingAction.Warn, MaxClasses = 1 });
        var called = new ConcurrentQueue<string>();
        pool.Faulted += static (_, _) => throw new InvalidOperationException("faulted");
        pool.Faulted += (_, fault) => called.Enqueue(fault.Message);
        pool.ClassResized += static (_, _) => throw new InvalidOperationException("resized");
        pool.ClassResized += (_, _) => called.Enqueue("resized, second");
        pool.BlockingFound += static (_, _) => throw new InvalidOperationException("found");
        pool.BlockingFound += (_, _) => called.Enqueue("found, second");
        pool.Warned += static (_, _) => throw new InvalidOperationException("warned");
        pool.Warned += (_, _) => called.Enqueue("warned, second");
        pool.GetClass("one more than there may be");
        pool.Resize(1, 4);
        using var open = new ManualResetEventSlim();
        Task waits = pool.Run(open.Wait);
        string[] expected = ["resized", "resized, second", "found", "found, second", "warned", "warned, second"];
        Eventually.Be(() => expected.All(called.Contains), "all handlers are called");
        open.Set();
        Eventually.End(waits);
    }

    // The threads that raise the events wait between what they do; what interrupts them there is for nobody.
    [Fact]
    public void Handlers_InterruptTheirThread_ThePoolGoesOn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "interrupts", BlockingAction = BlockingAction.Warn });
        int resized = 0;
        using var found = new ManualResetEventSlim();
        pool.ClassResized += (_, _) =>
        {
            Thread.CurrentThread.Interrupt();
            Interlocked.Increment(ref resized);
        };
        pool.BlockingFound += (_, _) =>
        {
            Thread.CurrentThread.Interrupt();
            found.Set();
        };
        using var open = new ManualResetEventSlim();
        Task waits = pool.Run(open.Wait);
        Eventually.Set(found, "the monitor must raise its event");
        open.Set();
        Eventually.End(waits);
        int before = Volatile.Read(ref resized);
        pool.Resize(1, 4);
        Eventually.Be(() => Volatile.Read(ref resized) > before, "the sizing thread lives");
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
    }

    [Fact]
    public void Handlers_ChangeTheirThread_TheNextDoesNotSeeIt()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "changed" });
        var flowing = new AsyncLocal<string?>();
        var seen = new ConcurrentQueue<string>();
        EventHandler<ControllerTrace> handler = (_, _) =>
        {
            Thread thread = Thread.CurrentThread;
            seen.Enqueue($"{flowing.Value}, {SynchronizationContext.Current}, {thread.Priority}, {thread.IsBackground}, {thread.Name}");
            flowing.Value = "mine";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            (thread.Priority, thread.IsBackground, thread.Name) = (ThreadPriority.BelowNormal, false, "mine");
        };
        pool.ClassResized += handler;
        pool.ClassResized += handler;
        pool.Resize(1, 4);
        Eventually.Be(() => seen.Count >= 2, "both are told");
        int before = seen.Count;
        pool.Resize(1, 5);
        Eventually.Be(() => seen.Count > before, "they are told again");
        seen.Distinct().ShouldHaveSingleItem();
    }

    // The runtime asks some contexts at each wait of the thread.
    [Fact]
    public void CountConnections_LeavesAContext_TheNextCallDoesNotSeeIt()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "contexts" });
        var seen = new ConcurrentQueue<bool>();
        pool.DefaultClass.CountConnections = () =>
        {
            seen.Enqueue(SynchronizationContext.Current is null);
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            return 1;
        };
        bool enough = false;
        Task[] loops = [.. Enumerable.Range(0, 8).Select(_ => Loop(pool, () => !Volatile.Read(ref enough)))];
        Eventually.Be(() => seen.Count > 2, "it is called again and again");
        Volatile.Write(ref enough, true);
        Array.ForEach(loops, static t => Eventually.End(t));
        seen.ShouldAllBe(static isNone => isNone);
    }

    private static ConcurrentQueue<Exception> Faults(AdaptiveThreadPool pool)
    {
        var told = new ConcurrentQueue<Exception>();
        pool.Faulted += (_, fault) => told.Enqueue(fault);
        return told;
    }

    // Items without a pause: a controller is asked once the size rests, and a class whose work keeps ending has nothing to rest on.
    private static async Task Loop(AdaptiveThreadPool pool, Func<bool> goesOn)
    {
        do
        {
            await pool.Run(static () => Thread.Sleep(1)).ConfigureAwait(false);
        }
        while (goesOn());
    }

    private static MeterListener Listen(string poolName)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "AdaptivePool")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) =>
        {
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                if (tag.Key == "pool" && Equals(tag.Value, poolName))
                {
                    throw new InvalidOperationException("listener");
                }
            }
        });
        listener.Start();
        return listener;
    }

    private sealed class FailingController : IPoolController
    {
        private long _calls;

        public long Calls => Interlocked.Read(ref _calls);

        public SizeDecision Update(in PoolSample sample) => throw Fail();

        public void Reinitialize(int target, DecisionReason reason) => throw Fail();

        private InvalidOperationException Fail()
        {
            Interlocked.Increment(ref _calls);
            return new("controller");
        }
    }
}
