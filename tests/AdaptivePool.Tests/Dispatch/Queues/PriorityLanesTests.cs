using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class PriorityLanesTests
{
    [Fact]
    public void TryDequeue_MixedPriorities_GivesHighThenNormalThenLow()
    {
        var lanes = new PriorityLanes<RealSync>();
        lanes.Enqueue("low", WorkPriority.Low);
        lanes.Enqueue("normal", WorkPriority.Normal);
        lanes.Enqueue("high", WorkPriority.High);
        Drain(lanes).ShouldBe(["high", "normal", "low"]);
    }

    [Fact]
    public void TryDequeue_OnePriority_IsFirstInFirstOut() =>
        Prop.ForAll<byte>(priority =>
        {
            var lanes = new PriorityLanes<RealSync>();
            for (int i = 0; i < 100; i++)
            {
                lanes.Enqueue(i, (WorkPriority)(priority % 3));
            }

            Drain(lanes).ShouldBe(Enumerable.Range(0, 100).Cast<object>());
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(20));

    [Theory]
    [InlineData(WorkPriority.Normal, new[] { WorkPriority.High })]
    [InlineData(WorkPriority.Normal, new[] { WorkPriority.High, WorkPriority.Low })]
    [InlineData(WorkPriority.Low, new[] { WorkPriority.High })]
    [InlineData(WorkPriority.Low, new[] { WorkPriority.Normal })]
    [InlineData(WorkPriority.Low, new[] { WorkPriority.High, WorkPriority.Normal })]
    public void TryDequeue_BesideLanesThatAreNeverEmpty_ComesWithinSixteen(WorkPriority priority, WorkPriority[] others) =>
        Prop.ForAll<byte>(before =>
        {
            var lanes = new PriorityLanes<RealSync>();
            bool Dequeue()
            {
                foreach (WorkPriority other in others)
                {
                    lanes.Enqueue(other, other);
                }

                lanes.TryDequeue(out object? item).ShouldBeTrue();
                return Equals(item, "waiting");
            }

            for (int i = 0; i < before; i++)
            {
                Dequeue();
            }

            lanes.Enqueue("waiting", priority);
            int turns = 1;
            while (!Dequeue() && turns < 1_000)
            {
                turns++;
            }

            turns.ShouldBeLessThanOrEqualTo(16);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(50));

    [Fact]
    public void TryDequeue_AllLanesFull_GivesMostTurnsToTheHighestOfThem()
    {
        var lanes = new PriorityLanes<RealSync>();
        for (int i = 0; i < 160; i++)
        {
            foreach (WorkPriority priority in Enum.GetValues<WorkPriority>())
            {
                lanes.Enqueue(priority, priority);
            }
        }

        ILookup<WorkPriority, object> taken = Enumerable.Range(0, 160).Select(_ =>
        {
            lanes.TryDequeue(out object? item).ShouldBeTrue();
            return item!;
        }).ToLookup(static item => (WorkPriority)item);

        taken[WorkPriority.High].Count().ShouldBe(140);
        taken[WorkPriority.Normal].Count().ShouldBe(10);
        taken[WorkPriority.Low].Count().ShouldBe(10);
    }

    /// <summary>Which of them came first followed the number of all turns, and those that high work leaves to the others are all even.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(15)]
    public void TryDequeue_TenantsAndWorkWithoutOneBesideHighWorkThatNeverEnds_AllHaveTheirTurn(int tenants)
    {
        const int rounds = 10;
        var lanes = new PriorityLanes<RealSync>();
        string[] names = [.. Enumerable.Range(0, tenants).Select(static i => $"tenant {i}")];
        int turns = 16 * rounds * (tenants + 1);
        for (int i = 0; i < turns; i++)
        {
            lanes.Enqueue("high", WorkPriority.High);
            lanes.Enqueue("without");
            Array.ForEach(names, name => lanes.EnqueueFor(name, name));
        }

        ILookup<object, object> taken = Enumerable.Range(0, turns).Select(_ =>
        {
            lanes.TryDequeue(out object? item).ShouldBeTrue();
            return item!;
        }).ToLookup(static item => item);

        names.Append("without").ShouldAllBe(name => taken[name].Count() == rounds);
    }

    [Fact]
    public void Operations_AnySequence_LoseAndDoubleNothing() =>
        Prop.ForAll<byte[]>(operations =>
        {
            var lanes = new PriorityLanes<RealSync>();
            var waiting = new HashSet<object>();
            foreach (byte operation in operations)
            {
                if (operation % 5 < 3)
                {
                    object item = new();
                    waiting.Add(item);
                    lanes.Enqueue(item, (WorkPriority)(operation % 3));
                }
                else if (lanes.TryDequeue(out object? item))
                {
                    waiting.Remove(item).ShouldBeTrue();
                }
                else
                {
                    waiting.ShouldBeEmpty();
                }

                lanes.Count.ShouldBe(waiting.Count);
                lanes.IsEmpty.ShouldBe(waiting.Count == 0);
            }

            lanes.Items.ShouldBe(waiting, ignoreOrder: true);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(200).WithEndSize(300));

    [Fact]
    public void EnqueueDequeue_ManyThreads_EachItemComesExactlyOnce()
    {
        const int each = 40_000;
        var lanes = new PriorityLanes<RealSync>();
        var taken = new int[3 * each];
        int left = taken.Length;
        Thread[] threads =
        [
            .. Enumerable.Range(0, 3).Select(p => new Thread(() =>
            {
                for (int i = 0; i < each; i++)
                {
                    lanes.Enqueue((p * each) + i, (WorkPriority)(i % 3));
                }
            })),
            .. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                while (Volatile.Read(ref left) > 0)
                {
                    if (lanes.TryDequeue(out object? item))
                    {
                        Interlocked.Increment(ref taken[(int)item]);
                        Interlocked.Decrement(ref left);
                    }
                }
            })),
        ];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        taken.ShouldAllBe(t => t == 1);
        lanes.IsEmpty.ShouldBeTrue();
    }

    [Fact]
    public void TryDequeue_LowWorkHasWaitedTooLong_EverySecondIsLow()
    {
        var lanes = new PriorityLanes<RealSync>();
        TimeSpan after = TimeSpan.FromSeconds(1);
        for (int i = 0; i < 100; i++)
        {
            lanes.Enqueue("low", WorkPriority.Low);
            lanes.Enqueue("high", WorkPriority.High);
        }

        lanes.Ages.Look(0, 0, 0, after);
        Take(16).Count(static item => item == "low").ShouldBe(1, "before, one in sixteen");
        lanes.DueCount.ShouldBe(0);
        lanes.Ages.Look(1, 0, 0, after);
        lanes.DueCount.ShouldBe(99);
        Take(32).Count(static item => item == "low").ShouldBe(18, "every second one, and one in sixteen");

        List<string> Take(int count) => [.. Enumerable.Range(0, count).Select(_ => lanes.TryDequeue(out object? item) ? (string)item : "nothing")];
    }

    [Fact]
    public void TryDequeue_NormalAndLowWorkHaveWaitedTooLong_EachHasItsTurn()
    {
        var lanes = new PriorityLanes<RealSync>();
        TimeSpan after = TimeSpan.FromSeconds(1);
        for (int i = 0; i < 100; i++)
        {
            lanes.Enqueue("low", WorkPriority.Low);
            lanes.Enqueue("normal");
            lanes.Enqueue("high", WorkPriority.High);
        }

        lanes.Ages.Look(0, 0, 0, after);
        lanes.Ages.Look(1, 0, 0, after);
        string[] taken = [.. Enumerable.Range(0, 64).Select(_ => lanes.TryDequeue(out object? item) ? (string)item : "nothing")];
        taken.Count(static item => item == "low").ShouldBe(20);
        taken.Count(static item => item == "normal").ShouldBe(20);
        taken.Count(static item => item == "high").ShouldBe(24);
    }

    private static List<object> Drain(PriorityLanes<RealSync> lanes)
    {
        var order = new List<object>();
        while (lanes.TryDequeue(out object? item))
        {
            order.Add(item);
        }

        return order;
    }
}
