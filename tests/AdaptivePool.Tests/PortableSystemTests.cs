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
        var notice = new PlatformNotice(static () => new PlatformSupport { HasFutex = false, HasKernelFiles = false });
        var told = new List<string>();
        for (int i = 0; i < 3; i++)
        {
            AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), PortableSystem.Surroundings(Budget) with { Platform = notice });
            pool.Warned += (_, message) => told.Add(message);
        }

        string line = told.ShouldHaveSingleItem();
        line.ShouldStartWith("The self-test found no futex (");
        line.ShouldContain(", no files about threads below /proc (");
        line.ShouldNotContain("clock");
        line.ShouldNotContain("\n");
    }

    [Fact]
    public void Warned_NothingMissing_IsNotTold()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions(),
            PortableSystem.Surroundings(Budget) with { Platform = new PlatformNotice(static () => new PlatformSupport()) });
        var told = new List<string>();
        pool.Warned += (_, message) => told.Add(message);
        told.ShouldBeEmpty();
    }

    [Fact]
    public void Present_ThisMachine_HasWhatTheRuntimeAndTheKernelGive()
    {
        PlatformSupport present = PlatformSupport.Present;
        present.HasWaitHook.ShouldBeTrue("the runtime that runs these tests calls the hook");
        present.HasPostedAwaits.ShouldBeTrue("and posts what follows an await");
        if (OperatingSystem.IsLinux())
        {
            present.ShouldBe(new PlatformSupport());
        }
    }

    private static void WaitsForIt(ManualResetEventSlim open) => open.Wait();
}
