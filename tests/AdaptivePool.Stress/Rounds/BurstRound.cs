namespace AdaptivePool.Stress.Rounds;

/// <summary>A few items from one to three threads at once, then nothing until all have ended, again and again: workers go to sleep and are woken all the time,
/// and nobody saves what they miss.</summary>
internal sealed class BurstRound : Round
{
    private const int Producers = 3;
    private const long MostPerRound = 5_000;
    private const int MostItems = 4;

    public override void Run(Tally tally, int seed, long most)
    {
        AdaptiveThreadPool pool = StressPool.Create(hasNet: false, maxThreads: 6);
        var watch = new RescueWatch(tally, pool);
        long end = tally.Submitted + Math.Min(most, MostPerRound);
        using var barrier = new Barrier(Producers + 1);
        bool isOver = false;
        Thread[] producers = Start(Producers, p =>
        {
            var dice = new Dice(seed, p);
            while (true)
            {
                barrier.SignalAndWait();
                if (Volatile.Read(ref isOver))
                {
                    return;
                }

                for (int i = p == 0 ? 1 + dice.Below(MostItems) : dice.Below(MostItems); i > 0; i--)
                {
                    dice.MayPause(32);
                    tally.Submit();
                    pool.UnsafeQueueUserWorkItem(new BurstItem(tally, pool, dice.Below(4), dice.Below(8) == 0), preferLocal: false);
                }

                barrier.SignalAndWait();
            }
        });

        var pauses = new Dice(seed, Producers);
        try
        {
            while (tally.Submitted < end)
            {
                barrier.SignalAndWait();
                barrier.SignalAndWait();
                watch.WaitUntil(() => tally.Ended == tally.Submitted, "a burst");
                pauses.MayPause(4);
            }
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            barrier.SignalAndWait();
            Join(producers);
        }

        pool.Dispose();
        watch.Close();
    }
}
