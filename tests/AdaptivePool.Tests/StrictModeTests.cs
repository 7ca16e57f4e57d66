using System.Collections.Concurrent;

namespace AdaptivePool.Tests;

/// <summary>Code that must not block: told or stopped, at the wait, on the thread that waits.</summary>
public sealed class StrictModeTests : PoolTest
{
    public static TheoryData<string> WaitsThatThrow => ["Task.Wait", "Task.Result", "GetResult", "event", "SemaphoreSlim", "Join"];

    [Theory]
    [MemberData(nameof(WaitsThatThrow))]
    public void Throw_WaitOfTheItemItself_ThrowsBeforeItBlocks(string kind)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        using var never = new ManualResetEventSlim(false, spinCount: 0);
        Task item = pool.Run(() => Wait(kind, never));
        Eventually.Complete(item, "an item that would wait for ever ends");
        never.Set();
        BlockingNotAllowedException thrown = item.Exception!.InnerException.ShouldBeOfType<BlockingNotAllowedException>();
        thrown.Method.ShouldNotBeNull().ShouldStartWith("AdaptivePool.Tests.StrictModeTests.");
        thrown.ClassName.ShouldBe("default");
        thrown.Message.ShouldContain(thrown.Kind);
        thrown.Message.ShouldContain("await");
        Eventually.Be(pool, s => s is { Blocked: 0, Active: 0 }, "the wait is left");
    }

    [Fact]
    public void Throw_ContendedLock_WaitsAndIsTold()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        var found = new ConcurrentQueue<Blocker>();
        pool.BlockingFound += (_, e) => found.Enqueue(e);
        var gate = new object();
        Task<int> item;
        lock (gate)
        {
            item = pool.Run(() => TakesLock(gate));
            Eventually.Be(() => !found.IsEmpty, "a lock is told, not thrown out of");
        }

        Eventually.Result(item).ShouldBe(1);
        found.ShouldHaveSingleItem().Kind.ShouldBe("lock");
    }

    [Fact]
    public void Warn_SameMethodManyTimes_IsToldOnce()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Warn });
        var found = new ConcurrentQueue<Blocker>();
        pool.BlockingFound += (_, e) => found.Enqueue(e);
        for (int i = 0; i < 5; i++)
        {
            Eventually.Result(pool.Run(BlocksShortly)).ShouldBe(1);
        }

        Eventually.Result(pool.Run(BlocksElsewhere)).ShouldBe(1);
        Eventually.Be(() => found.Count == 2, "each method is told");
        found.Select(e => e.Method)
            .ShouldBe(["AdaptivePool.Tests.StrictModeTests.BlocksShortly", "AdaptivePool.Tests.StrictModeTests.BlocksElsewhere"], ignoreOrder: true);
        found.Select(e => (e.Where, e.ClassName)).ShouldContain(("AdaptivePool.Tests.StrictModeTests.BlocksShortly (event)", "default"));
    }

    [Fact]
    public void OnBlocking_OfAClass_BeatsThePoolsAndNullGivesItBack()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass strict = pool.GetClass("strict");
        strict.BlockingAction.ShouldBeNull();
        strict.BlockingAction = BlockingAction.Throw;
        strict.BlockingAction.ShouldBe(BlockingAction.Throw);
        Thrown(strict.Run(BlocksShortly)).ClassName.ShouldBe("strict");
        Eventually.Result(pool.Run(BlocksShortly)).ShouldBe(1);
        strict.BlockingAction = null;
        Eventually.Result(strict.Run(BlocksShortly)).ShouldBe(1);
        Should.Throw<ArgumentOutOfRangeException>(() => strict.BlockingAction = (BlockingAction)7);
    }

    [Fact]
    public void Current_InOneFlow_HoldsAfterItsAwaitsAndNowhereElse()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task<int> item = pool.Run(async () =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Throw;
            await Task.Yield();
            return BlocksShortly();
        });
        Thrown(item);
        AdaptiveThreadPool.CurrentBlockingAction.ShouldBeNull();
        Eventually.Result(pool.Run(BlocksShortly)).ShouldBe(1);
        Should.Throw<ArgumentOutOfRangeException>(() => AdaptiveThreadPool.CurrentBlockingAction = (BlockingAction)7);
    }

    [Fact]
    public void Current_Ignore_BeatsAStrictPool()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        Eventually.Result(pool.Run(() =>
        {
            AdaptiveThreadPool.CurrentBlockingAction = BlockingAction.Ignore;
            return BlocksShortly();
        })).ShouldBe(1);
    }

    [Fact]
    public void Throw_InsideAScope_MayBlock()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        Eventually.Result(pool.Run(() =>
        {
            using (BlockingScope.Enter("meant"))
            {
                return BlocksShortly();
            }
        })).ShouldBe(1);
    }

    [Fact]
    public void Throw_WaitWithTimeoutZero_DoesNotThrow()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        Eventually.Result(pool.Run(() =>
        {
            using var never = new ManualResetEvent(false);
            return never.WaitOne(0);
        })).ShouldBeFalse();
    }

    [Fact]
    public void Throw_CompletedTask_DoesNotThrow()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        Eventually.Result(pool.Run(() => Task.FromResult(5).Result)).ShouldBe(5);
    }

    [Fact]
    public void Throw_PoolsOwnWait_DoesNotThrow()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BlockingAction = BlockingAction.Throw });
        Eventually.Result(pool.Run(() =>
        {
            // Disposing waits for the other pool's threads.
            var other = new AdaptiveThreadPool();
            other.Run(() => Thread.Sleep(20));
            other.Dispose();
            return 1;
        })).ShouldBe(1);
    }

    private static BlockingNotAllowedException Thrown(Task item)
    {
        Eventually.Complete(item);
        return item.Exception!.InnerException.ShouldBeOfType<BlockingNotAllowedException>();
    }

    private static int BlocksShortly()
    {
        using var signal = new AutoResetEvent(true);
        signal.WaitOne();
        return 1;
    }

    private static int BlocksElsewhere()
    {
        using var signal = new AutoResetEvent(true);
        signal.WaitOne();
        return 1;
    }

    private static int TakesLock(object gate)
    {
        lock (gate)
        {
            return 1;
        }
    }

    private static void Wait(string kind, ManualResetEventSlim never)
    {
        var source = new TaskCompletionSource<int>();
        using var semaphore = new SemaphoreSlim(0);
        var thread = new Thread(() => WaitUnlessOver(never)) { IsBackground = true };
        switch (kind)
        {
            case "Task.Wait":
                source.Task.Wait();
                break;
            case "Task.Result":
                source.Task.Result.ShouldBe(0);
                break;
            case "GetResult":
                source.Task.GetAwaiter().GetResult();
                break;
            case "event":
                never.Wait();
                break;
            case "SemaphoreSlim":
                semaphore.Wait();
                break;
            case "Join":
                thread.Start();
                thread.Join();
                break;
        }
    }

    private static void WaitUnlessOver(ManualResetEventSlim never)
    {
        try
        {
            never.Wait(Eventually.Patience);
        }
        catch (ObjectDisposedException)
        {
            // The test has ended before this thread began.
        }
    }
}
