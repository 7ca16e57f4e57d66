using AdaptivePool.Internal;
using AdaptivePool.Queues;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Queues;

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

    [Fact]
    public void TryDequeue_LowUnderEndlessHigh_ComesWithinSixteen()
    {
        var lanes = new PriorityLanes<RealSync>();
        lanes.Enqueue("low", WorkPriority.Low);
        int turns = 0;
        object? item;
        do
        {
            lanes.Enqueue("high", WorkPriority.High);
            lanes.TryDequeue(out item).ShouldBeTrue();
            turns++;
        }
        while (!Equals(item, "low") && turns < 100);

        turns.ShouldBeLessThanOrEqualTo(16);
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
