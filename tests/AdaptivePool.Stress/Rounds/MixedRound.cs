namespace AdaptivePool.Stress.Rounds;

/// <summary>Producers submit everything a pool takes while its bounds change; near the end the pool is disposed under their hands.</summary>
internal sealed class MixedRound(bool hasNet) : Round
{
    private const int Producers = 3;
    private const long MostPerRound = 20_000;
    private const int MostOutstanding = 1_000;
    private const int LeastMaxThreads = 32;

    public override void Run(Tally tally, int seed, long most)
    {
        AdaptiveThreadPool pool = StressPool.Create(hasNet, LeastMaxThreads);
        var watch = new RescueWatch(tally, pool);
        using var work = new MixedWork(tally, pool);
        long end = tally.Submitted + Math.Min(most, MostPerRound);
        bool closing = false;
        Thread[] producers = Start(Producers, p =>
        {
            var dice = new Dice(seed, p);
            while (tally.Submitted < end)
            {
                if (tally.Submitted - tally.Ended > MostOutstanding && !Volatile.Read(ref closing))
                {
                    Thread.Yield();
                    continue;
                }

                dice.MayPause(64);
                work.Submit(ref dice);
            }
        });
        Thread[] resizer = Start(1, _ =>
        {
            var dice = new Dice(seed, Producers);
            while (!Volatile.Read(ref closing))
            {
                pool.Resize(1 + dice.Below(2), LeastMaxThreads + dice.Below(8));
                dice.MayPause(1);
            }
        });

        long closeAt = end - (Math.Min(most, MostPerRound) / 20);
        watch.WaitUntil(() => tally.Submitted >= closeAt || Array.TrueForAll(producers, static t => !t.IsAlive), "mixed work");
        Volatile.Write(ref closing, true);
        Join(resizer);
        Task disposal = pool.DisposeAsync().AsTask();
        Join(producers);
        watch.WaitUntil(() => disposal.IsCompleted, "disposal");
        watch.WaitUntil(() => tally.Ended == tally.Submitted, "accepted work");
        watch.Close();
    }
}
