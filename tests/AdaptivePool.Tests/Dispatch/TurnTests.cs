using System.Diagnostics;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// Every queue that a worker serves is reached in a bounded number of its turns while all others are never empty: an item in each queue queues itself again and
/// again, and one more is put where the test looks. Turns are counted, not time, but for what is due only after a time; the bounds are those of
/// <see cref="TurnRule"/>.
/// </summary>
public sealed class TurnTests : PoolTest
{
    /// <summary>Turns after which the test is lost.</summary>
    private const int Most = 10_000_000;

    [Fact]
    public void OwnRing_BesideQueuesThatAreNeverEmpty_IsReached() =>
        Turns(static (pool, item) => pool.UnsafeQueueUserWorkItem(item, preferLocal: false)).ShouldBeLessThanOrEqualTo(2 * TurnRule.FairEvery);

    [Fact]
    public void SharedQueue_BesideQueuesThatAreNeverEmpty_IsReached() =>
        Turns(static (pool, item) => pool.Set.QueueInFlight(item)).ShouldBeLessThanOrEqualTo(2 * TurnRule.RootEvery);

    // It is seen in one of its turns, and taken in the first of them after its time.
    [Fact]
    public void OldestOfTheOwnDeque_BesideQueuesThatAreNeverEmpty_IsReachedAfterItsTime() =>
        Turns(
            static (pool, item) => pool.UnsafeQueueUserWorkItem(item, preferLocal: true),
            seenAfter: TurnRule.OldestEvery,
            dueAfter: TimeSpan.FromSeconds(TurnRule.OldestAfterSeconds))
        .ShouldBeLessThanOrEqualTo(TurnRule.OldestEvery + 1);

    [Theory]
    [InlineData(WorkPriority.High, 2)]
    [InlineData(WorkPriority.Normal, 32)]
    [InlineData(WorkPriority.Low, 32)]
    public void RootLanes_BesideQueuesThatAreNeverEmpty_AreReached(WorkPriority priority, int dequeues) =>
        Turns((pool, item) => pool.Set.QueueRoot(pool.DefaultClass.Core, item, RootPlace.Of(priority)))
            .ShouldBeLessThanOrEqualTo((dequeues + 1) * 2 * TurnRule.RootEvery);

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    public void RootWorkOfAnotherClass_BesideQueuesThatAreNeverEmpty_IsReached(int classes) =>
        Turns(
            static (pool, item) => pool.Set.QueueRoot(pool.GetClass("other").Core, item, RootPlace.Normal),
            pool => [.. Enumerable.Range(0, classes).Select(i => Again(() => pool.GetClass($"busy {i}").Core, pool))])
        .ShouldBeLessThanOrEqualTo((classes + 2) * TurnRule.RootEvery);

    // From the moment on when the item that holds its worker is seen to run on: until then nobody can tell it from a short one.
    [Fact]
    public void QueueOfAnotherWorker_BesideQueuesThatAreNeverEmpty_IsReached()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "two", MaxThreads = 2, Sizing = PoolSizing.Fixed(2) });
        using var holds = new ManualResetEventSlim();
        int queued = 0;
        int over = 0;
        int turns = 0;
        int seenAt = -1;
        int ranAt = -1;
        var waiting = new CallbackItem(() => Volatile.Write(ref ranAt, turns));

        // In flight: of two threads root work has one.
        pool.Set.QueueInFlight(
            new CallbackItem(() =>
            {
                holds.Set();
                SpinWait.SpinUntil(() => Volatile.Read(ref turns) > 1_000);
                pool.UnsafeQueueUserWorkItem(waiting, preferLocal: true);
                pool.UnsafeQueueUserWorkItem(waiting, preferLocal: true);
                Volatile.Write(ref queued, 1);

                // Where no hook sees it, so that nothing of this is given to others.
                SpinWait.SpinUntil(() => Volatile.Read(ref over) != 0);
            }));
        Eventually.Set(holds, "the item that holds one of the two workers must start");

        void Turn(Action again)
        {
            turns++;
            seenAt = seenAt < 0 && Volatile.Read(ref queued) != 0 && pool.Set.HasHeldUp ? turns : seenAt;
            if (ranAt < 0 && (seenAt < 0 || turns < seenAt + Most))
            {
                again();
            }
            else
            {
                Volatile.Write(ref over, 1);
            }
        }

        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Fill(pool, Turn)), preferLocal: false);
        Eventually.Be(() => Volatile.Read(ref over) != 0, "the other worker must get to what the first cannot run, or give up");
        ranAt.ShouldBeGreaterThan(0, "the item of the other worker has not run");

        // It may run before the one that counts turns has noticed.
        (ranAt - (seenAt < 0 ? ranAt : seenAt)).ShouldBeLessThanOrEqualTo(2 * TurnRule.OthersEvery);
    }

    /// <summary>Turns of the one worker from the moment that an item is put somewhere, or is due there, until it runs; 0 when it ran before.</summary>
    private int Turns(
        Action<AdaptiveThreadPool, CallbackItem> put,
        Func<AdaptiveThreadPool, Action<Action<Action>>[]>? more = null,
        int seenAfter = 0,
        TimeSpan dueAfter = default)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        int turns = 0;
        int putAt = -1;
        int ranAt = -1;
        long seen = 0;
        int dueAt = 0;
        using var over = new ManualResetEventSlim();
        var waiting = new CallbackItem(() => ranAt = turns);
        void Turn(Action again)
        {
            turns++;
            if (turns == 1_000)
            {
                // All queues have had what is put into them since the start, and not only the first item.
                putAt = turns;
                put(pool, waiting);
            }

            if (putAt > 0 && turns == putAt + seenAfter)
            {
                seen = Stopwatch.GetTimestamp();
            }

            if (seen != 0 && dueAt == 0 && Stopwatch.GetElapsedTime(seen) >= dueAfter)
            {
                dueAt = turns;
            }

            if (ranAt < 0 && turns < Most)
            {
                again();
            }
            else
            {
                over.Set();
            }
        }

        pool.UnsafeQueueUserWorkItem(
            new CallbackItem(() =>
            {
                Fill(pool, Turn);
                foreach (Action<Action<Action>> add in more?.Invoke(pool) ?? [])
                {
                    add(Turn);
                }
            }),
            preferLocal: false);
        Eventually.Set(over, "the queues must be served");
        ranAt.ShouldBeGreaterThan(0, $"the item has not run within {Most} turns");

        // A worker that the system puts aside takes its item for a long one, and then looks sooner.
        return dueAt == 0 ? 0 : ranAt - dueAt;
    }

    private static Action<Action<Action>> Again(Func<AdaptivePool.Dispatch.ClassCore<AdaptivePool.Internal.RealSync>> target, AdaptiveThreadPool pool) =>
        turn => Start(turn, item => pool.Set.QueueRoot(target(), item, RootPlace.Normal));

    // One item for each queue; by a worker.
    private static void Fill(AdaptiveThreadPool pool, Action<Action> turn)
    {
        Start(turn, item => pool.UnsafeQueueUserWorkItem(item, preferLocal: true));
        Start(turn, item => pool.UnsafeQueueUserWorkItem(item, preferLocal: false));
        Start(turn, pool.Set.QueueInFlight);
        Start(turn, item => pool.Set.QueueRoot(pool.DefaultClass.Core, item, RootPlace.Of(WorkPriority.High)));
        Start(turn, item => pool.Set.QueueRoot(pool.DefaultClass.Core, item, RootPlace.Normal));
    }

    private static void Start(Action<Action> turn, Action<CallbackItem> queue)
    {
        CallbackItem? item = null;
        item = new CallbackItem(() => turn(() => queue(item!)));
        queue(item);
    }
}
