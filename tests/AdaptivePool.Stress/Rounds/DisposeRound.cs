namespace AdaptivePool.Stress.Rounds;

/// <summary>A pool that lives for a few hundred items and is disposed while they come in: what was accepted ends, what was not is refused with an
/// exception.</summary>
internal sealed class DisposeRound : Round
{
    private const int Producers = 3;
    private const int ItemsEach = 200;

    public override void Run(Tally tally, int seed, long most)
    {
        AdaptiveThreadPool pool = StressPool.Create(hasNet: seed % 2 == 0, maxThreads: 6);
        var watch = new RescueWatch(tally, pool);
        var dice = new Dice(seed, -1);
        int disposeAfter = dice.Below(ItemsEach);
        int queued = 0;
        Thread[] producers = Start(Producers, p =>
        {
            var own = new Dice(seed, p);
            for (int i = 0; i < ItemsEach; i++)
            {
                Interlocked.Increment(ref queued);
                own.MayPause(64);
                Submit(tally, pool, ref own);
            }
        });

        watch.WaitUntil(() => Volatile.Read(ref queued) >= disposeAfter, "producers");
        Task[] disposals = [pool.DisposeAsync().AsTask(), pool.DisposeAsync().AsTask()];
        Join(producers);
        watch.WaitUntil(() => Array.TrueForAll(disposals, static d => d.IsCompleted), "disposal");
        watch.WaitUntil(() => tally.Ended == tally.Submitted, "accepted items");
        watch.Close();
    }

    private static void Submit(Tally tally, AdaptiveThreadPool pool, ref Dice dice)
    {
        tally.Submit();
        try
        {
            if (dice.Below(2) == 0)
            {
                pool.UnsafeQueueUserWorkItem(new BurstItem(tally, pool, dice.Below(3), pauses: false), preferLocal: false);
            }
            else
            {
                _ = pool.Factory.StartNew(static state => ((Tally)state!).Complete(), tally);
            }
        }
        catch (Exception exception) when (exception is ObjectDisposedException or TaskSchedulerException)
        {
            tally.Reject();
        }
    }
}
