using System.Collections.Concurrent;
using AdaptivePool.Tests.Sensing;

namespace AdaptivePool.Tests.Faults;

/// <summary>A container allows few threads: those that are left belong to the runtime, which ends the process when it is refused one.</summary>
public sealed class ThreadLimitTests : PoolTest
{
    private const int Items = 12;

    [Fact]
    public void NoThreadToSpare_PoolStaysSmallSaysSoAndGrowsWhenTheLimitIsRaised()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/pod/web");
        AdaptiveThreadPool pool = CreatePool(system, "pod/web", used: 38, new AdaptivePoolOptions { MinThreads = 1, InitialThreads = 2 });
        var warnings = new ConcurrentQueue<string>();
        pool.Warned += (_, message) => warnings.Enqueue(message);
        using var open = new ManualResetEventSlim();
        using var started = new CountdownEvent(Items);
        Task[] items = Block(pool, started, open);

        Eventually.Be(() => warnings.Any(static message => message.Contains("pids.max", StringComparison.Ordinal)), "it says what keeps it small");
        PoolSnapshot bound = pool.GetSnapshot();
        bound.MaxThreads.ShouldBe(2);
        bound.PeakThreads.ShouldBe(2);
        started.CurrentCount.ShouldBeGreaterThan(0);

        system.Write("/sys/fs/cgroup/pod/web/pids.max", "max\n");
        Eventually.Zero(started, "with the limit gone the pool grows as ever");
        pool.GetSnapshot().MaxThreads.ShouldBe(AdaptivePoolOptions.DefaultMaxThreads);
        open.Set();
        Array.ForEach(items, static t => Eventually.End(t));
        warnings.Count(static message => message.Contains("pids.max", StringComparison.Ordinal)).ShouldBe(1, "once is enough");
    }

    [Fact]
    public void Resize_BesideALimitOfTheSystem_TheSmallerOneHolds()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        AdaptiveThreadPool pool = CreatePool(system, "web", used: 38, new AdaptivePoolOptions { MinThreads = 1 });
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(() => pool.GetSnapshot().MaxThreads == 2, "the system's limit holds after the first look");
        pool.Resize(1, 500);
        pool.GetSnapshot().MaxThreads.ShouldBe(2, "a wish does not lift it");
        pool.Resize(8, 500);
        pool.GetSnapshot().MaxThreads.ShouldBe(8, "but the least that is wanted is wanted in any case");
        pool.Resize(1, 1);
        pool.GetSnapshot().MaxThreads.ShouldBe(1);
    }

    /// <summary>One thread for each processor is no wish of anybody: 64 processors made the pool take what the system left to the runtime.</summary>
    [Fact]
    public void ManyProcessors_NoMinimumIsAskedFor_LimitOfTheSystemHoldsFromTheFirstThreadOn()
    {
        using var child = new ChildRun(static start => start.Environment["DOTNET_PROCESSOR_COUNT"] = "64", "few");
        child.Ask("report").ShouldBe("processors 64 least 2 bound 2 peak 2");
        child.End().ShouldBe(0);
    }

    [Fact]
    public void Deadlock_BesideALimitOfTheSystem_NoThreadIsLentBeyondIt()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        AdaptivePoolOptions options = new() { MinThreads = 1, InitialThreads = 2, EmergencyThreads = 100, DeadlockTimeout = TimeSpan.FromSeconds(1) };
        AdaptiveThreadPool pool = CreatePool(system, "web", used: 38, options);
        using var deadlocked = new ManualResetEventSlim();
        pool.DeadlockChanged += (_, report) => deadlocked.Set();
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(() => pool.GetSnapshot().MaxThreads == 2, "the system's limit holds");
        using var open = new ManualResetEventSlim();
        using var started = new CountdownEvent(Items);
        Task[] items = Block(pool, started, open);

        Eventually.Be(() => deadlocked.IsSet, "nothing moves");
        started.Wait(TimeSpan.FromMilliseconds(300)).ShouldBeFalse("threads that are lent would start them all");
        pool.GetSnapshot().PeakThreads.ShouldBeLessThanOrEqualTo(2);
        open.Set();
        Array.ForEach(items, static t => Eventually.End(t));
    }

    /// <summary>Each knew of those before it only, and took what was free as its own until its next look.</summary>
    [Fact]
    public void SeveralPools_FirstWorkSoonAfterTheirCreation_TogetherTheyMayStartWhatIsFree()
    {
        const int Free = 20;
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/web");
        AdaptiveThreadPool[] pools =
            [.. Enumerable.Range(0, 3).Select(_ => CreatePool(system, "web", used: 10, new AdaptivePoolOptions { MinThreads = 1, InitialThreads = 1 }))];
        using var open = new ManualResetEventSlim();

        // The second item of a pool has a thread when the sizing has looked.
        using var started = new CountdownEvent(2 * pools.Length);
        Task[] items = [.. pools.Concat(pools).Select(pool => pool.Run(() =>
        {
            started.Signal();
            open.Wait();
        }))];
        Eventually.Zero(started, "there is room for two in each");

        // The files of this system do not count the threads that the pools have.
        pools.Select(static pool => pool.GetSnapshot()).Sum(static now => now.MaxThreads - now.Existing).ShouldBeLessThanOrEqualTo(Free);
        open.Set();
        Array.ForEach(items, static t => Eventually.End(t));
    }

    /// <summary>They want no more threads than there are cores, and the one word is kept for who does.</summary>
    [Fact]
    public void ItemsThatBurn_WithinTheLimitOfTheSystem_NothingIsSaid()
    {
        using SystemFolder system = new SystemFolder("0-0").WithVersion2("/web");

        // Its one core has no idle time, as one on which items burn: beside other tests they read as blocked while they wait for a real one.
        system.Write("/proc/stat", "cpu  9000 0 0 1000 0 0 0 0 0 0\ncpu0 9000 0 0 1000 0 0 0 0 0 0\n");
        AdaptiveThreadPool pool = CreatePool(system, "web", used: 36, new AdaptivePoolOptions { MinThreads = 1, InitialThreads = 1 });
        var warnings = new ConcurrentQueue<string>();
        pool.Warned += (_, message) => warnings.Enqueue(message);
        Task[] items = [.. Enumerable.Range(0, 200).Select(_ => pool.Run(static () => Burn(TimeSpan.FromMilliseconds(5))))];
        Array.ForEach(items, static t => Eventually.End(t));
        warnings.ShouldNotContain(static message => message.Contains("pids.max", StringComparison.Ordinal));
    }

    private static Task[] Block(AdaptiveThreadPool pool, CountdownEvent started, ManualResetEventSlim open) =>
        [.. Enumerable.Range(0, Items).Select(_ => pool.Run(() =>
        {
            started.Signal();
            open.Wait();
        }))];

    // In a control group that allows 40 threads.
    private AdaptiveThreadPool CreatePool(SystemFolder system, string group, int used, AdaptivePoolOptions options)
    {
        system.Write($"/sys/fs/cgroup/{group}/pids.max", "40\n");
        system.Write($"/sys/fs/cgroup/{group}/pids.current", $"{used}\n");
        return CreatePool(options, new PoolSurroundings { Budget = Budget, RuntimePool = null, Root = system.Root });
    }

    private static void Burn(TimeSpan time)
    {
        long begin = System.Diagnostics.Stopwatch.GetTimestamp();
        while (System.Diagnostics.Stopwatch.GetElapsedTime(begin) < time)
        {
            Thread.SpinWait(100);
        }
    }
}
