using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// The sleep of the thread that looks at an adaptive gate: while no transaction ends nothing wakes a processor, and the next one that ends calls it.
/// </summary>
/// <remarks>
/// Who ends: count it, <see cref="WakeUp"/>. The thread: say that it sleeps, full fence, look at the count again, sleep. At least one of the two sees the
/// other.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="count">Reads how many have ended. Called by the thread.</param>
/// <param name="wake">Wakes the thread, or starts it; false when none could be created. Called by one at a time.</param>
internal sealed class LimitDoze<TSync>(Func<long> count, Func<bool> wake)
    where TSync : struct, ISync
{
    private readonly SyncLock<TSync> _start = new();

    /// <summary>The first one that ends starts the thread.</summary>
    private int _asleep = 1;

    /// <summary>A transaction that has ended is counted. Any thread; a fence and a read while the thread is awake.</summary>
    public void WakeUp()
    {
        // Between the count and the look at the sleeper: pairs with the exchange in TrySleep, between falling asleep and the look at the count. Without them
        // both could miss each other, and the thread would sleep on.
        TSync.Fence();

        // Pairs with itself: one of those that end at once wakes the thread.
        if (TSync.RelaxedRead(ref _asleep) == 0 || TSync.OrderedExchange(ref _asleep, 0) == 0)
        {
            return;
        }

        using (_start.Hold())
        {
            if (!wake())
            {
                // The next transaction that ends tries again.
                TSync.RelaxedWrite(ref _asleep, 1);
            }
        }
    }

    /// <summary>Falls asleep, unless another one has ended meanwhile. Own thread only.</summary>
    /// <param name="counted">How many had ended at the last look.</param>
    /// <returns>Whether the thread may sleep until it is called.</returns>
    public bool TrySleep(long counted)
    {
        // A full fence before the count is read again: pairs with the one in WakeUp.
        TSync.Exchange(ref _asleep, 1);
        if (count() == counted)
        {
            return true;
        }

        TSync.RelaxedWrite(ref _asleep, 0);
        return false;
    }
}
