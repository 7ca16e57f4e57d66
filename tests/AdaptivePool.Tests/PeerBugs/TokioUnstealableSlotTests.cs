namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// The newest task of a Tokio worker cannot be stolen: behind a task that goes on computing it waits, while other workers sleep, up to 20 times slower. https://github.com/tokio-rs/tokio/issues/4941.
/// Here a lone local item wakes nobody either where items are short, but the item in front of it may neither block nor run long without others getting it.
/// Where items run long it wakes a worker at once.
/// </summary>
public sealed class TokioUnstealableSlotTests : PoolTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneLocalItem_BehindAnItemThatComputesUntilItHasRun_IsTakenByAnother(bool preferLocal)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 8 });
        int ran = 0;
        Task first = pool.Run(() =>
        {
            int mine = Environment.CurrentManagedThreadId;
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Volatile.Write(ref ran, Environment.CurrentManagedThreadId == mine ? 2 : 1)), preferLocal);
            while (Volatile.Read(ref ran) == 0)
            {
                Thread.SpinWait(100);
            }
        });

        Eventually.End(first, "the item behind a computing one must be taken by another worker");
        ran.ShouldBe(1);
    }
}
