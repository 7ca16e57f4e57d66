using AdaptivePool.Control;

namespace AdaptivePool.Tests;

public sealed class BlockingScopeTests : PoolTest
{
    [Fact]
    public void Enter_OffThePool_DoesNothing()
    {
        using (BlockingScope.Enter("outside"))
        {
            AdaptiveThreadPool.Current.ShouldBeNull();
        }

        default(BlockingScope).Dispose();
    }

    [Fact]
    public void Blocking_OffThePool_DoesNothing()
    {
        AdaptiveThreadPool pool = CreatePool();
        using (pool.Blocking("outside"))
        {
            pool.GetSnapshot().Blocked.ShouldBe(0);
        }
    }

    [Fact]
    public void Blocking_OnAWorker_CountsItAsBlockedForThatTime()
    {
        AdaptiveThreadPool pool = CreatePool();
        (int before, int inside, int after) = Eventually.Result(pool.Run(() =>
        {
            int before = pool.GetSnapshot().Blocked;
            int inside;
            using (pool.Blocking("legacy driver"))
            {
                inside = pool.GetSnapshot().Blocked;
            }

            return (before, inside, pool.GetSnapshot().Blocked);
        }));
        before.ShouldBe(0);
        inside.ShouldBe(1);
        after.ShouldBe(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Blocking_LeftOpenByATaskThatRanInline_EndsWithThatTask(bool hidesContext)
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveTaskScheduler scheduler = hidesContext ? pool.Scheduler.WithoutSynchronizationContext : pool.Scheduler;
        IReadOnlyList<string> reasons = Eventually.Result(Task.Factory.StartNew(
            () =>
            {
                using (pool.Blocking("outer"))
                {
                    new Task(() => pool.Blocking("inner")).RunSynchronously(scheduler);
                }

                new Task(() => pool.Blocking("alone")).RunSynchronously(scheduler);
                return pool.GetSnapshot().BlockingReasons;
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            scheduler));
        reasons.ShouldBeEmpty();
    }

    [Fact]
    public void Blocking_WithAReason_ShowsItInTheSnapshot()
    {
        AdaptiveThreadPool pool = CreatePool();
        (IReadOnlyList<string> inside, IReadOnlyList<string> after) = Eventually.Result(pool.Run(() =>
        {
            IReadOnlyList<string> inside;
            using (pool.Blocking("legacy driver"))
            {
                inside = pool.GetSnapshot().BlockingReasons;
            }

            return (inside, pool.GetSnapshot().BlockingReasons);
        }));
        inside.ShouldBe(["legacy driver"]);
        after.ShouldBeEmpty();
    }

    [Fact]
    public void Blocking_OnAWorkerOfAnotherPool_DoesNothing()
    {
        AdaptiveThreadPool one = CreatePool(new AdaptivePoolOptions { Name = "one" });
        AdaptiveThreadPool two = CreatePool(new AdaptivePoolOptions { Name = "two" });
        (int own, int other) = Eventually.Result(one.Run(() =>
        {
            using (two.Blocking("elsewhere"))
            {
                return (one.GetSnapshot().Blocked, two.GetSnapshot().Blocked);
            }
        }));
        own.ShouldBe(0);
        other.ShouldBe(0);
    }

    [Fact]
    public void Blocking_Nested_CountsTheWorkerOnce()
    {
        AdaptiveThreadPool pool = CreatePool();
        int[] seen = Eventually.Result(pool.Run(() =>
        {
            var counts = new List<int>();
            using (pool.Blocking("outer"))
            {
                using (BlockingScope.Enter("inner"))
                {
                    counts.Add(pool.GetSnapshot().Blocked);
                }

                counts.Add(pool.GetSnapshot().Blocked);
            }

            counts.Add(pool.GetSnapshot().Blocked);
            return counts.ToArray();
        }));
        seen.ShouldBe([1, 1, 0]);
    }

    [Fact]
    public void Blocking_WaitHookInside_EndsUnblocked()
    {
        AdaptiveThreadPool pool = CreatePool();
        int after = Eventually.Result(pool.Run(() =>
        {
            using var signal = new ManualResetEventSlim(false, spinCount: 0);
            using (pool.Blocking())
            {
                signal.Wait(TimeSpan.FromMilliseconds(5));
            }

            return pool.GetSnapshot().Blocked;
        }));
        after.ShouldBe(0);
    }

    [Fact]
    public void Blocking_KernelWaitForAnInFlightItem_TheItemRuns()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, Sizing = PoolSizing.Fixed(1) });
        Eventually.End(pool.Run(() =>
        {
            int ran = 0;
            using (pool.Blocking("poll"))
            {
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Volatile.Write(ref ran, 1)), preferLocal: true);
                while (Volatile.Read(ref ran) == 0)
                {
                    // A sleep is invisible to the wait hook: only the scope tells the pool.
                    Thread.Sleep(1);
                }
            }
        }), "the scope must hand over what its worker holds up");
    }

    [Fact]
    public void Blocking_ExceptionInside_LeavesTheScope()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task task = pool.Run(() =>
        {
            using (pool.Blocking())
            {
                throw new InvalidOperationException();
            }
        });
        Eventually.Complete(task);
        task.IsFaulted.ShouldBeTrue();
        Eventually.Be(pool, s => s is { Blocked: 0, Active: 0 }, "an exception leaves the scope too");
    }

    [Fact]
    public void Dispose_Twice_ClosesOnlyItsOwnScope()
    {
        AdaptiveThreadPool pool = CreatePool();
        int[] seen = Eventually.Result(pool.Run(() =>
        {
            BlockingScope first = pool.Blocking("first");
            first.Dispose();
            using BlockingScope second = pool.Blocking("second");
            first.Dispose();
            int stillOpen = pool.GetSnapshot().Blocked;
            second.Dispose();
            second.Dispose();
            return new[] { stillOpen, pool.GetSnapshot().Blocked };
        }));
        seen.ShouldBe([1, 0]);
    }

    [Fact]
    public void Dispose_OuterBeforeInner_ClosesBoth()
    {
        AdaptiveThreadPool pool = CreatePool();
        int[] seen = Eventually.Result(pool.Run(() =>
        {
            BlockingScope outer = pool.Blocking("outer");
            BlockingScope inner = pool.Blocking("inner");
            outer.Dispose();
            int after = pool.GetSnapshot().Blocked;
            inner.Dispose();
            return new[] { after, pool.GetSnapshot().Blocked };
        }));
        seen.ShouldBe([0, 0]);
    }

    [Fact]
    public void Dispose_OnAnotherThread_DoesNothingAndTheItemsEndClosesTheScope()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        BlockingScope left = default;
        int inside = Eventually.Result(pool.Run(() =>
        {
            left = pool.Blocking("left open");
            var other = new Thread(() => left.Dispose());
            other.Start();
            other.Join();
            return pool.GetSnapshot().Blocked;
        }));
        inside.ShouldBe(1, "another thread cannot close it");
        Eventually.Result(pool.Run(() => (pool.GetSnapshot().Blocked, pool.GetSnapshot().BlockingReasons.Count))).ShouldBe((0, 0), "the end of its item does");
        Eventually.Result(pool.Run(() =>
        {
            using BlockingScope own = pool.Blocking("own");
            left.Dispose();
            return pool.GetSnapshot().Blocked;
        })).ShouldBe(1, "an old scope does not close a new one of the same worker");
    }

    [Fact]
    public void Dispose_AfterAnAwaitInside_LeavesNoWorkerMarked()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task[] items = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(async () =>
        {
            using (pool.Blocking("awaits inside"))
            {
                await Task.Delay(1);
            }
        }))];
        Array.ForEach(items, item => Eventually.End(item));
        Eventually.Be(pool, s => s is { Blocked: 0, Active: 0 }, "scopes end with their items");
        Eventually.Result(pool.Run(() => pool.GetSnapshot().Blocked)).ShouldBe(0);
    }

    [Fact]
    public void Blocking_LongerThanShortWaits_IsCountedWhenItEnds()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.GetClass("partner").Run(() =>
        {
            using (pool.Blocking("legacy driver"))
            {
                using (pool.Blocking("inside"))
                {
                    Thread.Sleep(60);
                }
            }
        }));

        // Nobody has looked before.
        Blocker ended = pool.GetBlockers().ShouldHaveSingleItem();
        (ended.Method, ended.Kind, ended.Reason, ended.ClassName).ShouldBe((null, "Blocking scope", "legacy driver", "partner"));
        (ended.Count, ended.Blocked).ShouldBe((1, 0));
        ended.TotalTime.ShouldBe(ended.LongestTime);
        pool.GetSnapshot().Waits.ShouldBe(new Dictionary<string, long> { ["Blocking scope"] = 1 });
    }

    [Fact]
    public void Blocking_LooksFindItMeanwhile_IsCountedOnce()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.Result(pool.Run(() =>
        {
            using (pool.Blocking("legacy driver"))
            {
                pool.GetBlockers();
                Thread.Sleep(60);
                return pool.GetBlockers();
            }
        })).ShouldHaveSingleItem().Blocked.ShouldBe(1);
        Eventually.Be(pool, static s => s.Active == 0, "the worker has left the item, in whose end it may sleep for a moment");
        Blocker ended = pool.GetBlockers().ShouldHaveSingleItem();
        (ended.Count, ended.Blocked).ShouldBe((1, 0));
    }

    [Fact]
    public void Blocking_OnAWorker_AllocatesNothing()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() =>
        {
            pool.Blocking("first").Dispose();
            return Allocation.Of(() =>
            {
                for (int i = 0; i < 1_000; i++)
                {
                    using (pool.Blocking("short"))
                    {
                    }
                }
            });
        })).ShouldBe(0);
    }
}
