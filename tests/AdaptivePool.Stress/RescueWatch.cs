namespace AdaptivePool.Stress;

/// <summary>Looks whether a pool goes on, and saves what it forgot.</summary>
/// <remarks>
/// In a round with a net the pool runs as it is sold, and its own audit counts rescues. In a round without one the sizing thread wakes nobody for work that it
/// finds waiting, so a lost wake stays lost until this watch sees that nothing ends any more; it then counts a rescue and spreads the net. It counts looks, not
/// time: a process that the system has stopped looks at nothing.
/// </remarks>
internal sealed class RescueWatch(Tally tally, AdaptiveThreadPool pool, int looks = RescueWatch.DefaultLooks)
{
    /// <summary>Looks without an end of anything after which the pool counts as asleep: 10 s or more.</summary>
    public const int DefaultLooks = 500;
    private const int MillisecondsPerLook = 20;
    private const int QuickLooks = 400;

    /// <summary>Looks after the net was spread, in multiples of those before: then items are lost for good.</summary>
    private const int MorePatience = 6;

    private long _interventions;

    /// <summary>Times that nothing went on until the net was spread.</summary>
    public long Interventions => Volatile.Read(ref _interventions);

    /// <summary>Waits until the condition holds.</summary>
    /// <exception cref="StuckException">Nothing goes on, net or no net.</exception>
    public void WaitUntil(Func<bool> condition, string what) => WaitUntil(condition, what, () => tally.Ended + tally.Submitted);

    /// <summary>Waits until the condition holds.</summary>
    /// <param name="condition">The condition.</param>
    /// <param name="what">What is waited for, for the message.</param>
    /// <param name="progress">Changes as long as something goes on.</param>
    /// <exception cref="StuckException">Nothing goes on, net or no net.</exception>
    public void WaitUntil(Func<bool> condition, string what, Func<long> progress)
    {
        long before = -1;
        int still = 0;
        using var pause = new ManualResetEventSlim();
        for (int look = 0; !condition(); look++)
        {
            // Short waits first: most conditions hold within microseconds.
            if (look < QuickLooks)
            {
                if (look < QuickLooks / 2)
                {
                    Thread.Yield();
                }
                else
                {
                    pause.Wait(1);
                }

                continue;
            }

            pause.Wait(MillisecondsPerLook);
            long now = progress();
            still = now == before ? still + 1 : 0;
            before = now;
            if (still == looks)
            {
                SpreadNet();
            }
            else if (still > looks * MorePatience)
            {
                throw new StuckException($"{what}: nothing goes on. {tally}. {pool.GetSnapshot()}");
            }
        }
    }

    /// <summary>Adds to the account what the pool and this watch had to save. After the end of the pool.</summary>
    public void Close() => tally.Rescue(Math.Max(Interventions, pool.GetSnapshot().Rescues));

    private void SpreadNet()
    {
        Interlocked.Increment(ref _interventions);
        pool.Sizing.Housekeeper.HasSafetyNet = true;
        pool.Sizing.WakeUp();
    }
}
