using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Dispatch;

public sealed class WorkerPostTests
{
    private const int Turns = 1_000;

    [Fact]
    public async Task Await_OnTheContextRoute_CostsNoMemoryOfItsOwn()
    {
        await using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1 });

        long least = long.MaxValue;
        for (int attempt = 0; attempt < 5 && least > 0; attempt++)
        {
            least = Math.Min(least, await pool.Run(BytesOfYieldsAsync));
        }

        least.ShouldBeLessThan(Turns, "less than a byte per await");
    }

    [Fact]
    public async Task Await_MoreChainsThanItemsAreKept_AllEnd()
    {
        await using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 2 });

        int[] turns = await Task.WhenAll(Enumerable.Range(0, 200).Select(chain => pool.Run(() => YieldAsync(chain)))).WaitAsync(TimeSpan.FromSeconds(30));

        turns.ShouldBe(Enumerable.Range(0, 200));
        pool.GetSnapshot().Rescues.ShouldBe(0);
    }

    private static async Task<long> BytesOfYieldsAsync()
    {
        // The first await boxes the function; the last ones use what the ones before have left.
        await Task.Yield();
        await Task.Yield();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Turns; i++)
        {
            await Task.Yield();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static async Task<int> YieldAsync(int turns)
    {
        for (int i = 0; i < turns; i++)
        {
            await Task.Yield();
        }

        return turns;
    }
}
