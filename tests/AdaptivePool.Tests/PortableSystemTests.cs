namespace AdaptivePool.Tests;

/// <summary>What a pool still does on a system that tells it nothing, and what it says about that.</summary>
public sealed class PortableSystemTests : PoolTest
{
    [Fact]
    public void Sleepers_NoClocksAndNoFiles_GetTheirThreads()
    {
        const int Sleepers = 60;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), PortableSystem.Surroundings(Budget));
        using var all = new CountdownEvent(Sleepers);
        using var open = new ManualResetEventSlim();
        Task[] items = [.. Enumerable.Range(0, Sleepers).Select(_ => pool.Run(() =>
        {
            all.Signal();
            open.Wait();
        }))];
        Eventually.Zero(all, "threads are lent to work that waits where nothing else is known");
        open.Set();
        Array.ForEach(items, item => Eventually.End(item));
        pool.GetSnapshot().Rescues.ShouldBe(0);
    }

    [Fact]
    public void Reports_NoClocksAndNoFiles_StillNameTheMethod()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), PortableSystem.Surroundings(Budget));
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() => WaitsForIt(open));
        Eventually.Be(() => pool.GetBlockers()
            .Any(static it => it is { Blocked: 1, Method: { } method } && method.EndsWith(nameof(WaitsForIt), StringComparison.Ordinal)),
            "the wait hook needs no system");
        open.Set();
        Eventually.End(item);
    }

    [Fact]
    public void IdleThreads_NoFutex_EndAndComeBack()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { MinThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(100) }, PortableSystem.Surroundings(Budget));
        Task[] burst = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(static () => Thread.Sleep(5)))];
        Array.ForEach(burst, item => Eventually.End(item));
        Eventually.Be(pool, static state => state.Existing <= 2, "idle threads retire");
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
    }

    [Fact]
    public void Warned_SelfTestFindsSomethingMissing_IsToldOnceInAProcess()
    {
        var notice = new PlatformNotice(static () => ["no futex (slower)", "no files (sees less)"]);
        var told = new List<string>();
        for (int i = 0; i < 3; i++)
        {
            AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), PortableSystem.Surroundings(Budget) with { Platform = notice });
            pool.Warned += (_, message) => told.Add(message);
        }

        string line = told.ShouldHaveSingleItem();
        line.ShouldStartWith("The self-test found no futex (slower), no files (sees less). ");
        line.ShouldNotContain("\n");
    }

    [Fact]
    public void Warned_NothingMissing_IsNotTold()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions(),
            PortableSystem.Surroundings(Budget) with { Platform = new PlatformNotice(static () => []) });
        var told = new List<string>();
        pool.Warned += (_, message) => told.Add(message);
        told.ShouldBeEmpty();
    }

    [Fact]
    public void Missing_ThisMachine_HasWhatTheRuntimeAndTheKernelGive()
    {
        IReadOnlyList<string> missing = PlatformSupport.Missing;
        missing.ShouldNotContain(static it => it.Contains("managed waits", StringComparison.Ordinal), "the runtime that runs these tests calls the hook");
        missing.ShouldNotContain(static it => it.Contains("posted", StringComparison.Ordinal), "and posts what follows an await");
        if (OperatingSystem.IsLinux())
        {
            missing.ShouldBeEmpty();
        }
    }

    private static void WaitsForIt(ManualResetEventSlim open) => open.Wait();
}
