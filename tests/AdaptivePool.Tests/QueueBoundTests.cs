using AdaptivePool.Tests.Dispatch;

namespace AdaptivePool.Tests;

public sealed class QueueBoundTests : PoolTest
{
    [Theory]
    [InlineData(0, 1, 0, true)]
    [InlineData(1, 1, 0, false)]
    [InlineData(2, 1, 2, true)]
    [InlineData(3, 1, 2, false)]
    [InlineData(int.MaxValue - 1, int.MaxValue, 0, true)]
    [InlineData(int.MaxValue, int.MaxValue, 5, true)]
    public void MayWait_AsManyAsMayWaitBesideFreePlaces(int queued, int maxQueued, int freePlaces, bool expected) =>
        QueueBound.MayWait(queued, maxQueued, freePlaces).ShouldBe(expected);

    [Theory]
    [InlineData(3, 2, 5, 2)]
    [InlineData(1, 2, 5, 1)]
    [InlineData(3, 2, 1, 1)]
    [InlineData(3, 2, 0, 0)]
    [InlineData(-1, 2, 5, 0)]
    [InlineData(2, -1, 5, 0)]
    public void FreePlaces_AreThoseOfTheClassAndOfAllAndOfTheThreads(int free, int freeOfAll, int threads, int expected) =>
        QueueBound.FreePlacesOf(free, freeOfAll, threads).ShouldBe(expected);

    /// <summary>Work in flight takes no place of new work, which counted as free where no thread was left that could take it.</summary>
    [Fact]
    public void Come_TheOnlyThreadRunsWorkInFlight_AsManyWaitAsMay()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;
        using var open = new ManualResetEventSlim();
        using var held = new ManualResetEventSlim();
        pool.SynchronizationContext.Post(
            _ =>
            {
                held.Set();

                // A wait that the pool sees would take a place of new work.
                SpinWait.SpinUntil(() => open.IsSet, Eventually.Patience).ShouldBeTrue();
            },
            null);
        Eventually.Set(held, "the thread is held");
        pool.Set.Root.Active.ShouldBe(0);
        Task waiting = bounded.Run(static () => { });
        bounded.Run(static () => { }).Exception.ShouldNotBeNull().InnerException.ShouldBeOfType<WorkRefusedException>();
        open.Set();
        Eventually.End(waiting);
    }

    /// <summary>The worker that comes for the first item counted as one that can take none: what it was to take counted as waiting.</summary>
    [Fact]
    public void Come_TheOnlyThreadIsOnItsWay_WhatItComesForDoesNotCount()
    {
        using var threads = new HeldParkingSource();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1 }, threads);
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;
        Eventually.End(bounded.Run(static () => { }));
        Eventually.Be(pool, static s => s.Idle == 1, "the thread sleeps");
        threads.HoldWoken();
        Task first = bounded.Run(static () => { });
        threads.AwaitHeld();
        Task second = bounded.Run(static () => { });
        Task third = bounded.Run(static () => { });
        threads.GoOn();
        Eventually.End(Task.WhenAll(first, second));
        third.Exception.ShouldNotBeNull().InnerException.ShouldBeOfType<WorkRefusedException>();
    }

    /// <summary>Places of a class with a weight counted as free that no item could take, because others had all slots of the classes with a weight.</summary>
    [Fact]
    public void Come_OthersHaveAllSlotsOfClassesWithAWeight_AsManyWaitAsMay()
    {
        const int MaxThreads = 8;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = MaxThreads });
        WorkClass bounded = pool.GetClass("bounded");
        bounded.Weight = 1;
        bounded.MaxQueued = 1;

        // So many that sizing, which gives out no more slots than there are threads, makes none free.
        var slots = pool.Set.Shares!.Slots;
        for (int i = 0; i < MaxThreads; i++)
        {
            slots.Reacquire();
        }

        Task waiting = bounded.Run(static () => { });
        bounded.Run(static () => { }).Exception.ShouldNotBeNull().InnerException.ShouldBeOfType<WorkRefusedException>();
        for (int i = 0; i < MaxThreads; i++)
        {
            slots.Release();
        }

        pool.Set.NoteShared();
        pool.Set.LookAgain();
        Eventually.End(waiting);
    }

    [Theory]
    [InlineData(10, 10, false)]
    [InlineData(11, 10, true)]
    [InlineData(1_000_000, -1, false)]
    public void IsTooLate_OnlyPastTheTime(int waitedMilliseconds, int mostMilliseconds, bool expected) =>
        QueueBound.IsTooLate(TimeSpan.FromMilliseconds(waitedMilliseconds), TimeSpan.FromMilliseconds(mostMilliseconds)).ShouldBe(expected);

    [Fact]
    public void HasWaited_AMillisecondAndMore()
    {
        QueueBound.HasWaited(TimeSpan.FromMilliseconds(0.9)).ShouldBeFalse();
        QueueBound.HasWaited(TimeSpan.FromMilliseconds(1)).ShouldBeTrue();
    }

    [Fact]
    public void Come_OthersAreStoppedOnTheirWayIn_TheRefusalCountsThem()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 2;
        var bound = new QueueBound(bounded);
        using (new WorkerGate(pool.Factory, 1))
        {
            bound.Come().ShouldBeNull();
            bound.Come().ShouldBeNull();
            bound.Come().ShouldNotBeNull().Message.ShouldBe(
                $"Work class 'bounded' of pool '{pool.Name}' refused an item: 0 items wait already, and 2 more on the way (MaxQueued is 2).");
        }
    }
}
