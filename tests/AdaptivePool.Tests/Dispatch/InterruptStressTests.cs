using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.Admission;
using AdaptivePool.Tests.Data.Fakes;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// Workers are interrupted again and again while they sleep, wait in the hook, wait for a gate, queue and take items. The model checker knows no interrupts, so
/// here the accounts say whether anything was lost: items, permits, slots, workers.
/// </summary>
public sealed class InterruptStressTests : PoolTest
{
    private const int Items = 400;

    /// <summary>One item in so many waits for what never comes: only an interrupt ends it.</summary>
    private const int Kinds = 5;

    private readonly int[] _starts = new int[Items];
    private readonly ManualResetEvent _never = new(initialState: false);
    private int _children;
    private int _childrenStarted;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Interrupt_WorkersAtAnyMoment_EachItemEndsOnceAndNothingIsLost(bool isPortable)
    {
        var options = new AdaptivePoolOptions { Name = "interrupted", MinThreads = 2, MaxThreads = 4 };
        AdaptiveThreadPool pool = isPortable ? CreatePool(options, new EventParkingSource()) : CreatePool(options);
        using var test = new TestGate(1);
        using var source = new GatedDataSource(new FakeDataSource(), test.Gate);
        using var isOver = new ManualResetEventSlim();
        var interrupter = new Thread(() => InterruptUntil(isOver, pool));
        interrupter.Start();
        var items = new Task[Items];
        using var pause = new ManualResetEventSlim();
        for (int i = 0; i < Items; i++)
        {
            int number = i;
            items[i] = pool.Run(() => Item(number, pool, source));
            if (number % 40 == 0)
            {
                // So that workers go to sleep in between.
                pause.Wait(1);
            }
        }

        Array.ForEach(items, static item => Eventually.Complete(item, "each item must end"));
        isOver.Set();
        interrupter.Join(Eventually.Patience).ShouldBeTrue();

        // Not one of them is lost, and none runs twice.
        _starts.ShouldAllBe(static starts => starts == 1);
        Exception[] failures = [.. items.Where(static item => item.IsFaulted).Select(static item => item.Exception!.InnerException!)];
        failures.ShouldAllBe(static failure => failure is ThreadInterruptedException);
        failures.Length.ShouldBeGreaterThanOrEqualTo(Items / Kinds);
        items.Count(static item => item.IsCompletedSuccessfully).ShouldBe(Items - failures.Length);
        Eventually.Be(() => Volatile.Read(ref _childrenStarted) == Volatile.Read(ref _children), "what an interrupted item has queued runs all the same");

        // Nor is a permit, a slot or a worker.
        Eventually.Be(() => test.Gate.GetSnapshot() is { Held: 0, Queued: 0 }, "the permits are back");
        test.Enter();
        Eventually.Be(pool, static s => s.Idle == s.Existing, "the workers park");
        Eventually.Be(
            () => pool.Set.Root.Active == 0 && pool.Set.InFlight.Limit.Active == 0 && pool.DefaultClass.Core.Limit.Active == 0,
            "the slots are back");
        pool.GetSnapshot().Faulted.ShouldBe(0);
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
        _never.Dispose();
    }

    private static void InterruptUntil(ManualResetEventSlim isOver, AdaptiveThreadPool pool)
    {
        while (!isOver.Wait(TimeSpan.FromTicks(TimeSpan.TicksPerMillisecond / 2)))
        {
            foreach (Worker? worker in pool.Set.Workers)
            {
                worker?.Thread?.Interrupt();
            }
        }
    }

    private void Item(int number, AdaptiveThreadPool pool, GatedDataSource source)
    {
        Interlocked.Increment(ref _starts[number]);
        switch (number % Kinds)
        {
            case 0:
                _never.WaitOne();
                break;
            case 1:
                using (DbConnection connection = source.OpenConnection())
                using (connection.BeginTransaction())
                {
                    _never.WaitOne(1);
                }

                break;
            case 2:
                // Own work, and a wait for it: the item is inlined, stolen or handed over.
                Task child = pool.Run(StartChild);
                Interlocked.Increment(ref _children);
                child.Wait();
                break;
            case 3:
                pool.UnsafeQueueUserWorkItem(new CallbackItem(StartChild), preferLocal: false);
                Interlocked.Increment(ref _children);
                break;
            default:
                break;
        }
    }

    private void StartChild() => Interlocked.Increment(ref _childrenStarted);
}
