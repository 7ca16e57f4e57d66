namespace AdaptivePool.Tests;

/// <summary>Workers that wait for work which needs a worker (rules R3, R4).</summary>
public sealed class SyncOverAsyncTests : PoolTest
{
    [Theory]
    [InlineData(200)]
    [InlineData(1_000)]
    public void Result_OnManyMoreItemsThanWorkers_AllEnd(int count)
    {
        AdaptiveThreadPool pool = CreatePool();
        Task<int>[] tasks = [.. Enumerable.Range(0, count).Select(i => pool.Run(() => Inner(i).Result))];
        tasks.Select(t => Eventually.Result(t)).Sum().ShouldBe(count * (count - 1) / 2);

        static async Task<int> Inner(int value)
        {
            await Task.Delay(20);
            await Task.Yield();
            return value;
        }
    }

    [Fact]
    public void Result_OnWorkOfTheSamePool_AllEnd()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task<int>[] tasks = [.. Enumerable.Range(0, 100).Select(i => pool.Run(() => pool.Run(() => pool.Run(() => i).Result).Result))];
        tasks.Select(t => Eventually.Result(t)).Sum().ShouldBe(4_950);
    }

    [Fact]
    public void Result_WithSteadyArrivals_OldOnesStillEnd()
    {
        AdaptiveThreadPool pool = CreatePool();
        int stop = 0;
        var more = new System.Collections.Concurrent.ConcurrentQueue<Task>();
        var producer = new Thread(() =>
        {
            using var pause = new ManualResetEventSlim();
            while (Volatile.Read(ref stop) == 0)
            {
                more.Enqueue(pool.Run(() => Inner().Wait()));
                pause.Wait(TimeSpan.FromMilliseconds(3));
            }
        });
        producer.Start();
        Task[] first = [.. Enumerable.Range(0, 60).Select(_ => pool.Run(() => Inner().Wait()))];
        try
        {
            Array.ForEach(first, t => Eventually.End(t, "new arrivals must not keep old work from ending"));
        }
        finally
        {
            Volatile.Write(ref stop, 1);
            producer.Join();
        }

        foreach (Task task in more)
        {
            Eventually.End(task);
        }

        static async Task Inner()
        {
            await Task.Delay(10);
            await Task.Yield();
        }
    }

    [Fact]
    public void Result_EveryWorkerBlockedAndNewOnesArriving_ContinuationsGoFirstAndAllEnd()
    {
        // Four root items at a time, each of which holds its worker until its own continuation has run: only in-flight work that passes all others lets any of
        // them end.
        AdaptiveThreadPool pool = CreateFixedPool(4);
        var tasks = new List<Task<int>>();
        for (int i = 0; i < 300; i++)
        {
            int number = i;
            tasks.Add(pool.Run(() => Inner(number).Result));
            if (i % 8 == 0)
            {
                // New ones arrive while the first four wait.
                Eventually.Be(pool, static s => s.Blocked >= 1 || s.Queued == 0, "requests are served one after the other");
            }
        }

        tasks.Sum(t => Eventually.Result(t)).ShouldBe(300 * 299 / 2);

        static async Task<int> Inner(int value)
        {
            await Task.Delay(1);
            await Task.Yield();
            return value;
        }
    }

    [Fact]
    public void Monitor_LockHeldAcrossAWaitForInFlightWork_Ends()
    {
        AdaptiveThreadPool pool = CreatePool();
        var guard = new object();
        Task[] tasks = [.. Enumerable.Range(0, 40).Select(_ => pool.Run(() =>
        {
            lock (guard)
            {
                pool.Run(async () => await Task.Yield()).Wait();
            }
        }))];
        Array.ForEach(tasks, t => Eventually.End(t));
    }
}
