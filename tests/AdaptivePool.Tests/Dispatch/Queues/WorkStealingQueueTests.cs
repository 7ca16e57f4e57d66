using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class WorkStealingQueueTests
{
    [Theory]
    [InlineData(0, true, 0)]
    [InlineData(1, false, 0)]
    [InlineData(2, false, 0)]
    [InlineData(3, true, 0)]
    [InlineData(0, true, 1)]
    [InlineData(1, false, 1)]
    [InlineData(3, true, 1)]
    [InlineData(0, true, 63)]
    [InlineData(2, false, 63)]
    [InlineData(3, true, 63)]
    public void TryRemove_AnyItem_IsKeptNoLongerAndTheOthersStay(int wanted, bool taken, int before)
    {
        var queue = new WorkStealingQueue<RealSync>();
        for (int i = 0; i < before; i++)
        {
            queue.Push(i);
            queue.TrySteal().ShouldBe(i);
        }

        string[] items = ["a", "b", "c", "d"];
        Array.ForEach(items, queue.Push);
        queue.TryRemove("x").ShouldBeFalse();
        queue.TryRemove(items[wanted]).ShouldBe(taken);
        List<object> left = [];
        while ((left.Count % 2 == 0 ? queue.TryPop() : queue.TrySteal()) is { } item)
        {
            left.Add(item);
        }

        left.OfType<string>().ShouldBe(items.Where((_, i) => i != wanted), ignoreOrder: true);
        left.OfType<RemovedItem>().Count().ShouldBe(taken ? 0 : 1);
    }

    [Fact]
    public void TryPop_AfterPushes_GivesTheNewestFirst()
    {
        var queue = new WorkStealingQueue<RealSync>();
        queue.Push("a");
        queue.Push("b");
        queue.TryPop().ShouldBe("b");
        queue.TryPop().ShouldBe("a");
        queue.TryPop().ShouldBeNull();
    }

    [Fact]
    public void TryPopOldest_AfterPushes_GivesTheOldestFirst()
    {
        var queue = new WorkStealingQueue<RealSync>();
        queue.Push("a");
        queue.Push("b");
        queue.TryPopOldest().ShouldBe("a");
        queue.TryPopOldest().ShouldBe("b");
        queue.TryPopOldest().ShouldBeNull();
    }

    [Fact]
    public void TryPopOldest_BesideThieves_EachItemIsTakenExactlyOnceAndInOrderPerTaker()
    {
        const int count = 200_000;
        var queue = new WorkStealingQueue<RealSync>();
        var taken = new int[count];
        int outOfOrder = 0;
        int done = 0;
        void Note(ref int last, int item)
        {
            Interlocked.Increment(ref taken[item]);
            if (item <= last)
            {
                Interlocked.Increment(ref outOfOrder);
            }

            last = item;
        }

        Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
        {
            int last = -1;
            while (Volatile.Read(ref done) == 0 || !queue.IsEmpty)
            {
                if (queue.TrySteal() is int item)
                {
                    Note(ref last, item);
                }
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        int own = -1;
        for (int i = 0; i < count; i++)
        {
            queue.Push(i);
            if (i % 3 != 0 && queue.TryPopOldest() is int item)
            {
                Note(ref own, item);
            }
        }

        Volatile.Write(ref done, 1);
        Array.ForEach(threads, t => t.Join());
        taken.ShouldAllBe(t => t == 1);
        outOfOrder.ShouldBe(0);
    }

    [Fact]
    public void TrySteal_AfterPushes_GivesTheOldestFirst()
    {
        var queue = new WorkStealingQueue<RealSync>();
        queue.Push("a");
        queue.Push("b");
        queue.TrySteal().ShouldBe("a");
        queue.TrySteal().ShouldBe("b");
        queue.TrySteal().ShouldBeNull();
    }

    [Fact]
    public void Push_FarPastTheInitialCapacity_KeepsAll()
    {
        var queue = new WorkStealingQueue<RealSync>();
        object[] items = [.. Enumerable.Range(0, 10_000).Select(i => (object)i)];
        Array.ForEach(items, queue.Push);
        queue.Count.ShouldBe(items.Length);
        for (int i = items.Length - 1; i >= 0; i--)
        {
            queue.TryPop().ShouldBeSameAs(items[i]);
        }
    }

    [Fact]
    public void Operations_AnySequenceByOneThread_AgreeWithAList() =>
        Prop.ForAll<byte[]>(operations =>
        {
            var queue = new WorkStealingQueue<RealSync>();
            var model = new List<object>();
            foreach (byte operation in operations)
            {
                switch (operation % 6)
                {
                    case 0 or 1 or 2:
                        object item = new();
                        queue.Push(item);
                        model.Add(item);
                        break;
                    case 3:
                        object? newest = model.Count == 0 ? null : model[^1];
                        if (newest is not null)
                        {
                            model.RemoveAt(model.Count - 1);
                        }

                        queue.TryPop().ShouldBeSameAs(newest);
                        break;
                    default:
                        object? oldest = model.Count == 0 ? null : model[0];
                        if (oldest is not null)
                        {
                            model.RemoveAt(0);
                        }

                        (operation % 6 == 4 ? queue.TrySteal() : queue.TryPopOldest()).ShouldBeSameAs(oldest);
                        break;
                }

                queue.Count.ShouldBe(model.Count);
                queue.IsEmpty.ShouldBe(model.Count == 0);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(600));

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void PushPopSteal_ManyThieves_EachItemIsTakenExactlyOnce(int thieves)
    {
        const int count = 200_000;
        var queue = new WorkStealingQueue<RealSync>();
        var taken = new int[count];
        int done = 0;
        Thread[] threads = [.. Enumerable.Range(0, thieves).Select(_ => new Thread(() =>
        {
            while (Volatile.Read(ref done) == 0 || !queue.IsEmpty)
            {
                if (queue.TrySteal() is int item)
                {
                    Interlocked.Increment(ref taken[item]);
                }
            }
        }))];
        Array.ForEach(threads, t => t.Start());

        // The owner keeps the queue short, so that owner and thieves meet at the last item again and again.
        for (int i = 0; i < count; i++)
        {
            queue.Push(i);
            if (i % 3 != 0 && queue.TryPop() is int item)
            {
                Interlocked.Increment(ref taken[item]);
            }
        }

        while (queue.TryPop() is int item)
        {
            Interlocked.Increment(ref taken[item]);
        }

        Volatile.Write(ref done, 1);
        Array.ForEach(threads, t => t.Join());
        taken.ShouldAllBe(t => t == 1);
    }

    [Fact]
    public void PushPop_LastItemContestedByAThief_IsTakenByExactlyOne()
    {
        const int count = 3_000_000;
        var queue = new WorkStealingQueue<RealSync>();
        object[] items = [.. Enumerable.Range(0, 64).Select(i => (object)i)];
        var popped = new long[64];
        var stolen = new long[64];
        int done = 0;
        var thief = new Thread(() =>
        {
            while (Volatile.Read(ref done) == 0)
            {
                if (queue.TrySteal() is int item)
                {
                    stolen[item]++;
                }
            }
        });
        thief.Start();

        // No interlocked operation and no allocation between push and pop: either would drain the store buffer and hide a missing fence.
        for (int i = 0; i < count; i++)
        {
            queue.Push(items[i & 63]);
            if (queue.TryPop() is int item)
            {
                popped[item]++;
            }
        }

        Volatile.Write(ref done, 1);
        thief.Join();
        while (queue.TryPop() is int item)
        {
            popped[item]++;
        }

        (popped.Sum() + stolen.Sum()).ShouldBe(count);
        popped.Zip(stolen, (p, s) => p + s).ShouldAllBe(n => n == count / 64);
    }

    [Fact]
    public void Trim_BesideThieves_LosesAndDoublesNothing()
    {
        const int rounds = 50_000;
        var queue = new WorkStealingQueue<RealSync>();
        var taken = new int[rounds * 2];
        int done = 0;
        var thief = new Thread(() =>
        {
            while (Volatile.Read(ref done) == 0 || !queue.IsEmpty)
            {
                if (queue.TrySteal() is int item)
                {
                    Interlocked.Increment(ref taken[item]);
                }
            }
        });
        thief.Start();
        for (int i = 0; i < rounds; i++)
        {
            queue.Push(2 * i);
            queue.Push((2 * i) + 1);
            while (queue.TryPop() is int item)
            {
                Interlocked.Increment(ref taken[item]);
            }

            queue.Trim();
        }

        Volatile.Write(ref done, 1);
        thief.Join();
        taken.ShouldAllBe(t => t == 1);
    }

    [Fact]
    public void Trim_StolenItems_AreNotKeptAlive()
    {
        var queue = new WorkStealingQueue<RealSync>();
        WeakReference reference = PushAndSteal(queue);
        queue.Trim();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        reference.IsAlive.ShouldBeFalse();
        GC.KeepAlive(queue);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static WeakReference PushAndSteal(WorkStealingQueue<RealSync> queue)
        {
            object item = new();
            queue.Push(item);
            queue.TrySteal().ShouldBeSameAs(item);
            return new WeakReference(item);
        }
    }

    [Fact]
    public void Items_AfterTheIndexHasWrapped_AreThoseThatWaitOldestFirst()
    {
        var queue = new WorkStealingQueue<RealSync>(4);
        for (int i = 0; i < 6; i++)
        {
            queue.Push(i);
            queue.TrySteal().ShouldBe(i);
        }

        queue.Items.ShouldBeEmpty();
        queue.Push("a");
        queue.Push("b");
        queue.Push("c");
        queue.Items.ShouldBe(["a", "b", "c"]);
        queue.TrySteal().ShouldBe("a");
        queue.Items.ShouldBe(["b", "c"]);
    }

    [Fact]
    public void Trim_OfAQueueThatHasNotGrown_CostsNoMemory()
    {
        var queue = new WorkStealingQueue<RealSync>(4);
        queue.Trim();
        Allocation.Of(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                queue.Trim();
            }
        }).ShouldBeLessThan(100, "a worker trims its queue each time it lies down");
    }
}
