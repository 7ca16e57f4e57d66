using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests;

/// <summary>The table on virtual time, and a pool that obeys it.</summary>
public sealed class ThreadCreationThrottleTests : PoolTest
{
    private static readonly ThreadCreationThrottle s_databases = new(AdaptivePoolOptions.DatabaseThreadCreationThrottle);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(3, 0)]
    [InlineData(4, 50)]
    [InlineData(7, 50)]
    [InlineData(8, 100)]
    [InlineData(15, 100)]
    [InlineData(16, 200)]
    [InlineData(4_096, 200)]
    public void WaitFor_Databases_AsTheirSourcesHaveIt(int threads, int milliseconds) =>
        s_databases.WaitFor(threads, TimeSpan.Zero).ShouldBe(TimeSpan.FromMilliseconds(milliseconds));

    [Fact]
    public void WaitFor_VirtualTime_ThreadsStartAtTheTablesPace()
    {
        TimeSpan now = TimeSpan.Zero;
        TimeSpan last = TimeSpan.FromSeconds(-1);
        for (int threads = 0; threads < 20; threads++)
        {
            TimeSpan wait = s_databases.WaitFor(threads, now - last);
            now += wait;
            s_databases.WaitFor(threads, now - last).ShouldBe(TimeSpan.Zero);
            last = now;
        }

        // Threads 5 to 8 wait 50 ms each but for the first, which finds its interval over; 9 to 16 wait 100 ms, 17 to 20 wait 200 ms.
        now.ShouldBe(TimeSpan.FromMilliseconds((4 * 50) + (8 * 100) + (4 * 200)));
    }

    [Fact]
    public void WaitFor_NoThreadAlive_StartsAtOnce() =>
        new ThreadCreationThrottle(Table(1, TimeSpan.FromSeconds(9))).WaitFor(0, TimeSpan.Zero).ShouldBe(TimeSpan.Zero);

    [Fact]
    public void WaitFor_StepsInAnyOrder_TakesTheLastThatIsReached() =>
        new ThreadCreationThrottle(new Dictionary<int, TimeSpan> { [8] = TimeSpan.FromSeconds(8), [4] = TimeSpan.FromSeconds(4) })
            .WaitFor(9, TimeSpan.FromSeconds(1)).ShouldBe(TimeSpan.FromSeconds(7));

    [Fact]
    public void Run_ThrottledPool_StopsStartingThreadsAtTheStep()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            ThreadCreationThrottle = Table(3, TimeSpan.FromSeconds(60)),
            Sizing = PoolSizing.Fixed(16),
        });
        Task[] items = [.. Enumerable.Range(0, 64).Select(_ => pool.Run(() => Thread.Sleep(1)))];

        Array.ForEach(items, t => Eventually.End(t, "what lives does the work"));
        pool.GetSnapshot().PeakThreads.ShouldBeInRange(1, 3);
    }

    // The starter slept through it: for up to the longest time that a table may have nobody got a thread, however few were left.
    [Fact]
    public void Run_ThreadsEndedWhileTheNextStartWaited_ThoseBelowTheStepStartAtOnce()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 1,
            ThreadCreationThrottle = Table(3, TimeSpan.FromSeconds(60)),
            IdleTimeout = TimeSpan.FromMilliseconds(100),
            Sizing = PoolSizing.Fixed(8),
        });
        using (new WorkerGate(pool.Factory, 3))
        {
            Eventually.Be(pool, static s => s.Statistics.Throttles > 0, "the spare thread has to wait");
        }

        Eventually.Be(pool, static s => s.Existing == 1, "threads that are not needed end");
        new WorkerGate(pool.Factory, 2).Dispose();
    }

    private static Dictionary<int, TimeSpan> Table(int threads, TimeSpan interval) => new() { [threads] = interval };
}
