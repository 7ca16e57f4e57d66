namespace AdaptivePool.Stress.Rounds;

/// <summary>As many items as possible: producers outside start items that go on by themselves, locally or fairly.</summary>
internal sealed class ItemsRound(bool hasNet) : Round
{
    private const int Producers = 2;
    private const int ItemsEach = 256;
    private const int MostHops = 64;
    private const long MostPerRound = 20_000_000;

    public override void Run(Tally tally, int seed, long most)
    {
        AdaptiveThreadPool pool = StressPool.Create(hasNet, maxThreads: 8);
        var watch = new RescueWatch(tally, pool);
        long quota = Math.Min(most, MostPerRound) / Producers;
        ReusedItem[][] items =
            [.. Enumerable.Range(0, Producers)
            .Select(p => Enumerable.Range(0, ItemsEach).Select(i => new ReusedItem(tally, pool, seed, (p * ItemsEach) + i)).ToArray())];
        Thread[] producers = Start(Producers, p => Produce(items[p], new Dice(seed, -p - 1), quota));
        watch.WaitUntil(() => Array.TrueForAll(producers, static t => !t.IsAlive)
            && Array.TrueForAll(items, static own => Array.TrueForAll(own, static i => i.IsFree)), "reused items", ()
            => items.Sum(static own => own.Sum(static i => i.Count.Completed)));
        foreach (ReusedItem item in items.SelectMany(static i => i))
        {
            tally.Submit(item.Count.Submitted);
            tally.Complete(item.Count.Completed);
        }

        pool.Dispose();
        watch.Close();
    }

    private static void Produce(ReusedItem[] items, Dice dice, long quota)
    {
        long begun = 0;
        while (begun < quota)
        {
            bool found = false;
            foreach (ReusedItem item in items)
            {
                if (begun < quota && item.IsFree)
                {
                    int hops = (int)Math.Min(quota - begun, 1 + dice.Below(MostHops));
                    item.Begin(hops);
                    begun += hops;
                    found = true;
                }
            }

            if (!found)
            {
                Thread.Yield();
            }
        }
    }
}
