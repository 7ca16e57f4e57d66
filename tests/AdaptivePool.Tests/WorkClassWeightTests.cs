using AdaptivePool.Internal;

namespace AdaptivePool.Tests;

public sealed class WorkClassWeightTests : PoolTest
{
    private const long ItemNanoseconds = 300_000;

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(1_001)]
    public void Weight_OutOfRange_SaysClassValueAndRange(int weight)
    {
        WorkClass target = CreatePool().GetClass("reports");
        string message = Should.Throw<ArgumentOutOfRangeException>(() => target.Weight = weight).Message;
        message.ShouldContain("reports");
        message.ShouldContain($"{weight}");
        message.ShouldContain("1 to 1000");
        target.Weight.ShouldBeNull();
    }

    [Fact]
    public void Weight_SetAndTakenAway_IsSeenInTheSnapshot()
    {
        WorkClass target = CreatePool().GetClass("reports");
        target.GetSnapshot().Weight.ShouldBeNull();
        target.Weight = 7;
        target.Weight.ShouldBe(7);
        target.GetSnapshot().Weight.ShouldBe(7);
        target.GetSnapshot().CpuTime.ShouldBe(TimeSpan.Zero);
        target.Weight = null;
        target.Weight.ShouldBeNull();
        target.GetSnapshot().CpuTime.ShouldBeNull();
    }

    [Fact]
    public void Weight_TwoFloodsOnOneThread_TurnsAreAsTheWeights()
    {
        (WorkClass heavy, WorkClass light) = CreateClasses(CreateSingleThreadPool());
        var order = new List<char>();
        Flood(heavy, light, 600, order);
        order.Take(400).Count(static item => item == 'h').ShouldBeInRange(270, 330, "items of one length, three of one class to one of the other");
    }

    [Fact]
    public void Weight_ItemsOfUnequalLength_CpuIsAsTheWeights()
    {
        (WorkClass heavy, WorkClass light) = CreateClasses(CreateSingleThreadPool());
        var order = new List<char>();
        Flood(heavy, light, 600, order, lightFactor: 4);
        order.Take(300).Count(static item => item == 'h').ShouldBeInRange(260, 290, "twelve short items for one that is four times as long");
    }

    [Fact]
    public void Weight_WhatFollowsAnAwait_CountsForItsClass()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("reports");
        target.Weight = 5;
        Eventually.End(target.Run(async () =>
        {
            for (int i = 0; i < 10; i++)
            {
                await Task.Yield();
                Burn(ItemNanoseconds);
            }
        }));
        Eventually.End(target.Run(static () => { }));
        target.GetSnapshot().CpuTime!.Value.ShouldBeGreaterThan(TimeSpan.FromMilliseconds(10 * ItemNanoseconds / 1e6 / 2));
    }

    // The worker runs items of one class only, and looked whose they are when that changes.
    [Fact]
    public void Weight_SetWhileItsFunctionGoesOn_WhatFollowsCounts()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("reports");
        Eventually.End(target.Run(async () =>
        {
            await Task.Yield();
            target.Weight = 5;
            for (int i = 0; i < 10; i++)
            {
                await Task.Yield();
                Burn(ItemNanoseconds);
            }
        }));
        Eventually.End(target.Run(static () => { }));
        target.GetSnapshot().CpuTime!.Value.ShouldBeGreaterThan(TimeSpan.FromMilliseconds(10 * ItemNanoseconds / 1e6 / 2));
    }

    [Fact]
    public void Weight_ItemsThatWait_MakeRoomForOthers()
    {
        AdaptiveThreadPool pool = CreatePool();
        (WorkClass heavy, WorkClass light) = CreateClasses(pool);
        using (new WorkerGate(heavy.Factory, 8 * Environment.ProcessorCount))
        {
            Eventually.End(light.Run(static () => { }), "those that wait hold no core");
            Eventually.End(heavy.Run(static () => { }));
        }
    }

    // As many threads as cores are in force in any case. A size below was never measured, and the class kept its threads whatever its work needed.
    [Fact]
    public void Weight_FirstSizeIsLessThanTheCores_GrowsAllTheSame()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { InitialThreads = 1 });
        WorkClass target = pool.GetClass("reports");
        target.Weight = 1;

        // What takes long says after how much silence threads are lent: so that they are not, and the size must be found.
        Eventually.End(target.Run(static () => Thread.Sleep(500)));
        bool ends = false;
        Task[] clients = [.. Enumerable.Range(0, 16 * Environment.ProcessorCount).Select(_ => Client())];
        Eventually.Be(
            pool, static s => s.Classes.Any(static c => c.Name == "reports" && c.Verified >= 4 * Environment.ProcessorCount), "items that sleep get threads");
        Volatile.Write(ref ends, true);
        Array.ForEach(clients, static client => Eventually.End(client));

        async Task Client()
        {
            while (!Volatile.Read(ref ends))
            {
                await target.Run(static () => Thread.Sleep(10)).ConfigureAwait(false);
            }
        }
    }

    [Fact]
    public void Weight_SetAndTakenAwayWhileWorkComes_NothingIsLost()
    {
        AdaptiveThreadPool pool = CreatePool();
        (WorkClass heavy, WorkClass light) = CreateClasses(pool);
        List<Task> items = [];
        for (int i = 0; i < 5_000; i++)
        {
            items.Add((i % 2 == 0 ? heavy : light).Run(static () => { }));
            if (i % 50 == 0)
            {
                light.Weight = (i % 100) == 0 ? null : 1 + (i % 7);
            }
        }

        items.ForEach(static item => Eventually.End(item));
    }

    [Fact]
    public void Weight_TakenAwayWhileWorkWaits_ItsWorkersLeaveTheSlotsToOthers()
    {
        AdaptiveThreadPool pool = CreateFixedPool(1);
        WorkClass target = pool.GetClass("reports");
        target.Weight = 1;
        using var queued = new ManualResetEventSlim();
        Task first = target.Run(() =>
        {
            Eventually.Set(queued, "an item waits behind this one");
            target.Weight = null;
        });

        // A worker that looks whether it may begin takes one for the time of its look.
        Task second = target.Run(() => Eventually.Be(
            () => pool.Set.Shares!.Slots.Active == 0, "a class without a weight needs none of them, however long it has work"));
        queued.Set();
        Eventually.End(Task.WhenAll(first, second));
    }

    // The maximum was divided among the classes by heads: with one worker for each no weight counted.
    [Fact]
    public void Weight_MaximumIsLessThanBothWant_CpuIsAsTheWeights()
    {
        const int Items = 3_000;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 3 });
        (WorkClass heavy, WorkClass light) = CreateClasses(pool);
        heavy.Weight = 9;
        int heavyRun = 0;
        int lightRun = 0;
        int lightAtTheEnd = 0;
        List<Task> items = [];
        for (int i = 0; i < Items; i++)
        {
            items.Add(heavy.Run(() =>
            {
                Burn(ItemNanoseconds);
                if (Interlocked.Increment(ref heavyRun) == Items)
                {
                    lightAtTheEnd = Volatile.Read(ref lightRun);
                }
            }));
            items.Add(light.Run(() =>
            {
                Burn(ItemNanoseconds);
                Interlocked.Increment(ref lightRun);
            }));
        }

        items.ForEach(static item => Eventually.End(item));
        lightAtTheEnd.ShouldBeInRange(1, Items / 2, "one item of it to nine of the other, and not as many");
    }

    // A worker that the system puts aside looks like one that waits now and then, and another item begins for it: SharedStallTests hold the rule.
    [Fact]
    public void Weight_ItemsThatNeverEndHoldAllSlots_OthersBegin()
    {
        AdaptiveThreadPool pool = CreatePool();
        (WorkClass heavy, WorkClass light) = CreateClasses(pool);
        bool stop = false;
        TimeSpan begun = Environment.CpuUsage.TotalTime;
        Task[] endless = [.. Enumerable.Range(0, 10 * Environment.ProcessorCount).Select(_ => heavy.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                Thread.SpinWait(1_000);
            }
        }))];
        try
        {
            // So long that no core looks idle any more, which would give out slots as well.
            Eventually.Be(() => Environment.CpuUsage.TotalTime - begun > Environment.ProcessorCount * TimeSpan.FromSeconds(0.5), "they run");
            Eventually.End(light.Run(static () => { }), "a slot more is given out");
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Eventually.End(Task.WhenAll(endless));
    }

    [Fact]
    public void Weight_ManyClasses_EachGetsItsTurn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxClasses = 2_000 });
        List<Task> items = [];
        for (int i = 0; i < 1_500; i++)
        {
            WorkClass target = pool.GetClass($"class {i}");
            target.Weight = 1 + (i % 1_000);
            items.Add(target.Run(static () => { }));
            items.Add(target.Run(static () => throw new InvalidOperationException("planned")).ContinueWith(
                static _ => { }, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default));
        }

        items.ForEach(static item => Eventually.End(item));
    }

    [Fact]
    public void Dispose_WeightsAndWorkThatWaits_AllIsRun()
    {
        AdaptiveThreadPool pool = CreatePool();
        (WorkClass heavy, WorkClass light) = CreateClasses(pool);
        int run = 0;
        for (int i = 0; i < 1_000; i++)
        {
            _ = (i % 3 == 0 ? heavy : light).Run(() => Interlocked.Increment(ref run));
        }

        Eventually.End(pool.DisposeAsync().AsTask());
        run.ShouldBe(1_000);
    }

    private static (WorkClass Heavy, WorkClass Light) CreateClasses(AdaptiveThreadPool pool)
    {
        WorkClass heavy = pool.GetClass("heavy");
        WorkClass light = pool.GetClass("light");
        heavy.Weight = 3;
        light.Weight = 1;
        return (heavy, light);
    }

    private static void Flood(WorkClass heavy, WorkClass light, int items, List<char> order, int lightFactor = 1)
    {
        List<Task> all = [];
        using (new WorkerGate(heavy.Pool.Factory, 1))
        {
            for (int i = 0; i < items; i++)
            {
                all.Add(heavy.Run(() => Run(order, 'h', ItemNanoseconds)));
                all.Add(light.Run(() => Run(order, 'l', lightFactor * ItemNanoseconds)));
            }
        }

        all.ForEach(static item => Eventually.End(item));
    }

    private static void Run(List<char> order, char name, long nanoseconds)
    {
        order.Add(name);
        Burn(nanoseconds);
    }

    // CPU time, not time: whatever else runs on the machine.
    private static void Burn(long nanoseconds)
    {
        long until = ThreadClock.OwnNanoseconds() + nanoseconds;
        while (ThreadClock.OwnNanoseconds() < until)
        {
            Thread.SpinWait(20);
        }
    }
}
