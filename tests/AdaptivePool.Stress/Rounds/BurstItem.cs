namespace AdaptivePool.Stress.Rounds;

/// <summary>A short item that may queue children in its worker's own queues, and may pause.</summary>
internal sealed class BurstItem(Tally tally, AdaptiveThreadPool pool, int children, bool pauses) : IThreadPoolWorkItem
{
    private int _runs;

    public void Execute()
    {
        if (Interlocked.Increment(ref _runs) != 1)
        {
            tally.Violate("an item ran twice");
            return;
        }

        for (int i = 0; i < children; i++)
        {
            tally.Submit();
            pool.UnsafeQueueUserWorkItem(new BurstItem(tally, pool, children: 0, pauses: false), preferLocal: i % 2 == 0);
        }

        if (pauses)
        {
            Thread.Yield();
        }

        tally.Complete();
    }
}
