using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class FairRingTests
{
    [Fact]
    public void TryTake_AfterPushes_GivesTheOldestFirst()
    {
        var ring = new FairRing<RealSync>();
        ring.TryPush("a").ShouldBeTrue();
        ring.TryPush("b").ShouldBeTrue();
        ring.TryTake().ShouldBe("a");
        ring.TryTake().ShouldBe("b");
        ring.TryTake().ShouldBeNull();
        ring.IsEmpty.ShouldBeTrue();
    }

    [Fact]
    public void TryPush_Full_RefusesAndKeepsWhatItHas()
    {
        var ring = new FairRing<RealSync>();
        for (int i = 0; i < FairRing<RealSync>.DefaultCapacity; i++)
        {
            ring.TryPush(i).ShouldBeTrue();
        }

        ring.TryPush("too much").ShouldBeFalse();
        ring.Count.ShouldBe(FairRing<RealSync>.DefaultCapacity);
        for (int i = 0; i < FairRing<RealSync>.DefaultCapacity; i++)
        {
            ring.TryTake().ShouldBe(i);
        }

        ring.TryPush("again").ShouldBeTrue();
        ring.TryTake().ShouldBe("again");
    }

    [Fact]
    public void Operations_AnySequenceByOneThread_AgreeWithAQueue() =>
        Prop.ForAll<byte[]>(operations =>
        {
            var ring = new FairRing<RealSync>();
            var model = new Queue<object>();
            foreach (byte operation in operations)
            {
                // Runs of pushes and takes, so that the ring fills, empties and wraps.
                for (int i = 0; i < operation / 2; i++)
                {
                    if (operation % 2 == 0)
                    {
                        object item = new();
                        bool fits = model.Count < FairRing<RealSync>.DefaultCapacity;
                        ring.TryPush(item).ShouldBe(fits);
                        if (fits)
                        {
                            model.Enqueue(item);
                        }
                    }
                    else
                    {
                        model.TryDequeue(out object? expected);
                        ring.TryTake().ShouldBeSameAs(expected);
                    }
                }

                ring.Count.ShouldBe(model.Count);
                ring.IsEmpty.ShouldBe(model.Count == 0);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(200).WithEndSize(100));

    [Fact]
    public void PushTake_ManyTakers_EachItemIsTakenExactlyOnceAndInOrderPerTaker()
    {
        const int count = 200_000;
        const int takers = 3;
        var ring = new FairRing<RealSync>();
        var taken = new int[count];
        int outOfOrder = 0;
        int done = 0;
        Thread[] threads = [.. Enumerable.Range(0, takers).Select(_ => new Thread(() =>
        {
            int last = -1;
            while (Volatile.Read(ref done) == 0 || !ring.IsEmpty)
            {
                if (ring.TryTake() is int item)
                {
                    Interlocked.Increment(ref taken[item]);
                    if (item <= last)
                    {
                        Interlocked.Increment(ref outOfOrder);
                    }

                    last = item;
                }
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        for (int i = 0; i < count; i++)
        {
            object item = i;
            var spin = default(SpinWait);
            while (!ring.TryPush(item))
            {
                spin.SpinOnce();
            }
        }

        Volatile.Write(ref done, 1);
        Array.ForEach(threads, t => t.Join());
        taken.ShouldAllBe(t => t == 1);
        outOfOrder.ShouldBe(0);
    }
}
