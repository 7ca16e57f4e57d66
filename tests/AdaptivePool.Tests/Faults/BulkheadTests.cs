namespace AdaptivePool.Tests.Faults;

/// <summary>Several pools in one process: nothing that happens in one delays the items of another, and together they take the cores once.</summary>
public sealed class BulkheadTests : PoolTest
{
    [Fact]
    public void EveryWorkerOfOnePoolBlocked_ItemsOfTheOtherAllRun()
    {
        AdaptiveThreadPool blocked = CreatePool(new AdaptivePoolOptions { Name = "blocked", MinThreads = 1, MaxThreads = 4 });
        AdaptiveThreadPool free = CreatePool(new AdaptivePoolOptions { Name = "free" });
        using var open = new ManualResetEventSlim();
        var workers = new BlockedWorkers(blocked, 4, open);
        Task<int>[] stuck = [.. Enumerable.Range(0, 50).Select(i => blocked.Run(() => i))];

        Task<int>[] items = [.. Enumerable.Range(0, 1_000).Select(i => free.Run(() => i))];
        items.Sum(static t => Eventually.Result(t)).ShouldBe(499_500);
        Task<int>[] waiting = [.. Enumerable.Range(0, 20).Select(i => free.Run(() => Later(i).Result))];
        waiting.Sum(static t => Eventually.Result(t)).ShouldBe(190);
        Task[] sleeping = [.. Enumerable.Range(0, 40).Select(_ => free.Run(static () => Thread.Sleep(20)))];
        Array.ForEach(sleeping, t => Eventually.End(t));

        stuck.ShouldAllBe(static t => !t.IsCompleted);
        blocked.GetSnapshot().PeakThreads.ShouldBe(4);
        open.Set();
        workers.End();
    }

    [Fact]
    public void HogsInTwoPools_HaveOneThreadMoreThanCoresTogether()
    {
        AdaptiveThreadPool first = CreatePool(new AdaptivePoolOptions { Name = "first" });
        AdaptiveThreadPool second = CreatePool(new AdaptivePoolOptions { Name = "second" });
        using var end = new CancellationTokenSource();
        Task[] hogs = [.. new[] { first, second }
            .SelectMany(pool => Enumerable.Range(0, 3 * Environment.ProcessorCount).Select(_ => pool.Run(() => Burn(end.Token))))];
        try
        {
            int most = Math.Max(2, Environment.ProcessorCount + 1);
            Eventually.Be(() => Limit(first) + Limit(second) <= most
                && first.DefaultClass.GetSnapshot().Active + second.DefaultClass.GetSnapshot().Active >= 2, "hogs share cores + 1 over all pools");
            Limit(first).ShouldBeGreaterThanOrEqualTo(1);
            Limit(second).ShouldBeGreaterThanOrEqualTo(1);
        }
        finally
        {
            end.Cancel();
            Array.ForEach(hogs, static t => Eventually.End(t));
        }
    }

    [Fact]
    public void Dispose_LeavesTheBudget()
    {
        AdaptiveThreadPool first = CreatePool();
        CreatePool();
        Budget.Count.ShouldBe(2);
        first.Dispose();
        Budget.Count.ShouldBe(1);
    }

    private static int Limit(AdaptiveThreadPool pool) => pool.DefaultClass.GetSnapshot().Limit;

    private static void Burn(CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            Thread.SpinWait(1_000);
        }
    }

    private static async Task<int> Later(int value)
    {
        await Task.Delay(1);
        return value;
    }
}
