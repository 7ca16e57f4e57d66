namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// Two tasks that wake each other through the slot for the newest task starved all others of a Tokio runtime: 68 s instead of 2 s. https://github.com/tokio-rs/tokio/pull/5712 put a cap on it.
/// </summary>
public sealed class TokioNewestFirstStarvationTests : PoolTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LocalPingPong_WithoutEnd_LetsOthersRun(bool fromOutside)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        int stop = 0;
        using var ended = new CountdownEvent(2);
        using var started = new ManualResetEventSlim();
        CallbackItem? ping = null, pong = null;
        ping = new CallbackItem(() => Go(pong!));
        pong = new CallbackItem(() => Go(ping));
        var other = new CallbackItem(() => Volatile.Write(ref stop, 1));
        pool.UnsafeQueueUserWorkItem(ping, preferLocal: false);
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
        {
            Go(ping);
            if (!fromOutside)
            {
                // As continuations of awaits are queued.
                pool.UnsafeQueueUserWorkItem(other, preferLocal: false);
            }

            started.Set();
        }), preferLocal: false);
        Eventually.Set(started, "the second item must run");
        if (fromOutside)
        {
            pool.UnsafeQueueUserWorkItem(other, preferLocal: false);
        }

        Eventually.Be(() => Volatile.Read(ref stop) == 1, "an item beside two that queue each other locally must get its turn");
        Eventually.Zero(ended, "both chains must end");

        void Go(CallbackItem next)
        {
            if (Volatile.Read(ref stop) == 0)
            {
                pool.UnsafeQueueUserWorkItem(next, preferLocal: true);
            }
            else if (!ended.IsSet)
            {
                ended.Signal();
            }
        }
    }
}
