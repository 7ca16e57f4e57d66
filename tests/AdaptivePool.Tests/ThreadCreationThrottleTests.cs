namespace AdaptivePool.Tests;

/// <summary>The table on virtual time, and a pool that obeys it.</summary>
public sealed class ThreadCreationThrottleTests : PoolTest
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(3, 0)]
    [InlineData(4, 50)]
    [InlineData(7, 50)]
    [InlineData(8, 100)]
    [InlineData(15, 100)]
    [InlineData(16, 200)]
    [InlineData(4_096, 200)]
    public void IntervalAt_Databases_AsTheirSourcesHaveIt(int threads, int milliseconds) =>
        ThreadCreationThrottle.Databases.IntervalAt(threads).ShouldBe(TimeSpan.FromMilliseconds(milliseconds));

    [Fact]
    public void WaitFor_VirtualTime_ThreadsStartAtTheTablesPace()
    {
        TimeSpan now = TimeSpan.Zero;
        TimeSpan last = TimeSpan.FromSeconds(-1);
        for (int threads = 0; threads < 20; threads++)
        {
            TimeSpan wait = ThreadCreationThrottle.Databases.WaitFor(threads, now - last);
            now += wait;
            ThreadCreationThrottle.Databases.WaitFor(threads, now - last).ShouldBe(TimeSpan.Zero);
            last = now;
        }

        // Threads 5 to 8 wait 50 ms each but for the first, which finds its interval over; 9 to 16 wait 100 ms, 17 to 20 wait 200 ms.
        now.ShouldBe(TimeSpan.FromMilliseconds((4 * 50) + (8 * 100) + (4 * 200)));
    }

    [Fact]
    public void WaitFor_NoThreadAlive_StartsAtOnce() =>
        new ThreadCreationThrottle(new ThreadCreationStep(1, TimeSpan.FromSeconds(9))).WaitFor(0, TimeSpan.Zero).ShouldBe(TimeSpan.Zero);

    [Fact]
    public void Create_BadTables_AreRefused()
    {
        Should.Throw<ArgumentNullException>(() => new ThreadCreationThrottle(null!));
        Should.Throw<ArgumentException>(() => new ThreadCreationThrottle([]));
        Should.Throw<ArgumentOutOfRangeException>(() => new ThreadCreationThrottle(new ThreadCreationStep(0, TimeSpan.Zero)));
        Should.Throw<ArgumentOutOfRangeException>(() => new ThreadCreationThrottle(new ThreadCreationStep(1, TimeSpan.FromSeconds(61))));
        Should.Throw<ArgumentOutOfRangeException>(() => new ThreadCreationThrottle(new ThreadCreationStep(1, TimeSpan.FromTicks(-1))));
        Should.Throw<ArgumentException>(() => new ThreadCreationThrottle(new ThreadCreationStep(4, TimeSpan.Zero), new ThreadCreationStep(4, TimeSpan.Zero)));
    }

    [Fact]
    public void Run_ThrottledPool_StopsStartingThreadsAtTheStep()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            ThreadCreationThrottle = new(new ThreadCreationStep(3, TimeSpan.FromSeconds(60))),
            Sizing = PoolSizing.Fixed(16),
        });
        Task[] items = [.. Enumerable.Range(0, 64).Select(_ => pool.Run(() => Thread.Sleep(1)))];

        Array.ForEach(items, t => Eventually.End(t, "what lives does the work"));
        pool.GetSnapshot().PeakThreads.ShouldBeInRange(1, 3);
    }
}
