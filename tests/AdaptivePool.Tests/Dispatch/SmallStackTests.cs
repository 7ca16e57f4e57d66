namespace AdaptivePool.Tests.Dispatch;

/// <summary>On a short stack the runtime inlines no task. What a worker runs by itself must not depend on it.</summary>
public sealed class SmallStackTests : PoolTest
{
    [Fact]
    public void StartNew_AwaitsOnAStackTooShortToInline_ComesBack()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 2 }, new ShortStacks());
        Task<bool>[] flows = [.. Enumerable.Range(0, 16).Select(_ => pool.Factory.StartNew(async () =>
        {
            bool isBack = true;
            for (int i = 0; i < 10; i++)
            {
                await Task.Yield();
                isBack &= TaskScheduler.Current == pool.Scheduler;
            }

            return isBack;
        }).Unwrap())];
        flows.Select(t => Eventually.Result(t)).ShouldAllBe(isBack => isBack);
    }

    [Fact]
    public void StackSize_Smallest_RunsForkAndJoinAndAwaits()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { StackSize = 256 * 1024 });
        Eventually.Result(pool.Factory.StartNew(async () =>
        {
            await Task.Yield();
            return Fib(10);
        }).Unwrap()).ShouldBe(55);

        int Fib(int n) => n < 2 ? n : pool.Factory.StartNew(() => Fib(n - 1)).Result + Fib(n - 2);
    }

    /// <summary>Gives every thread less than the runtime wants to have left before it inlines.</summary>
    private sealed class ShortStacks : ThreadSource
    {
        public override bool TryStart(Action body, string name, int stackSize, out Exception? failure) => System.TryStart(body, name, 128 * 1024, out failure);
    }
}
