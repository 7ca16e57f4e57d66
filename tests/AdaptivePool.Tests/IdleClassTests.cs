namespace AdaptivePool.Tests;

/// <summary>Classes that have nothing to do hold nothing of MaxThreads, and get their share as soon as they have.</summary>
public sealed class IdleClassTests : PoolTest
{
    [Theory]
    [InlineData(32, 40)]
    [InlineData(32, 300)]
    [InlineData(4, 12)]
    [InlineData(2, 12)]
    public void Run_ManyClassesWereUsedOnce_OneClassHasAllThreadsForRootWork(int maxThreads, int classes)
    {
        AdaptiveThreadPool pool = Create(maxThreads, classes);
        using var blocked = new BlockedItems(pool, 1, 2 * maxThreads);
        Eventually.Be(() => blocked.Running == maxThreads - 1, "idle classes hold no threads");
    }

    [Fact]
    public void Run_AnotherClassHoldsAllThreads_TheNextFreeOneIsForTheClassThatWakes()
    {
        AdaptiveThreadPool pool = Create(8, 40);
        using var blocked = new BlockedItems(pool, 1, 100);
        Eventually.Be(() => blocked.Running == 7, "idle classes hold no threads");
        Task woken = pool.GetClass("used 5").Run(static () => { });
        Eventually.Be(() => pool.GetClass("blocked 0").GetSnapshot().Limit == 6, "sizing takes a thread from the class that has all");
        blocked.Open(1);
        Eventually.End(woken, "the first thread that comes free is its share");
    }

    [Fact]
    public void Run_MoreClassesWithWorkThanThreads_TheyTakeTurns()
    {
        // One thread for root work: did several run, the system could stop one in the middle of an item, and its class would fall behind.
        const int Classes = 12;
        const int Each = 20;
        AdaptiveThreadPool pool = Create(2, Classes);
        int[] ended = new int[Classes];
        int most = 0;
        Task[] tasks;
        using (var blocked = new BlockedItems(pool, 1, 1))
        {
            Eventually.Be(() => blocked.Running == 1, "the item must start");
            tasks = [.. Enumerable.Range(0, Classes * Each).Select(i => pool.GetClass("used " + (i % Classes)).Run(() => Count(i % Classes)))];
            Eventually.Be(() => pool.Set.TakesTurns, "sizing sees more classes with work than threads");
        }

        Array.ForEach(tasks, static t => Eventually.End(t));
        most.ShouldBeLessThan(Each / 2, "no class runs on while another waits");

        void Count(int index)
        {
            lock (ended)
            {
                ended[index]++;
                most = Math.Max(most, ended.Max() - ended.Min());
            }
        }
    }

    private AdaptiveThreadPool Create(int maxThreads, int classes)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "idle", MaxThreads = maxThreads, MaxClasses = Math.Max(256, classes + 2) });
        for (int i = 0; i < classes; i++)
        {
            Eventually.End(pool.GetClass("used " + i).Run(static () => { }));
        }

        return pool;
    }
}
