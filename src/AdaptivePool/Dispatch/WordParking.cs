namespace AdaptivePool.Dispatch;

/// <summary>
/// Parking by a word: on Linux by a futex (2.6 us to running against 14 us of a monitor, measured), elsewhere by an event.
/// </summary>
/// <remarks>The word: 0 nothing, 1 a permit, -1 the owner sleeps or is about to. Only the owner writes 0 and -1, any thread writes 1.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="byFutex">Whether there is a futex; <see langword="null"/> for what this system has.</param>
internal sealed unsafe class WordParking<TSync>(bool? byFutex = null) : Parking
    where TSync : struct, ISync
{
    private const int Nothing = 0;
    private const int Permit = 1;
    private const int Sleeping = -1;
    private readonly Bell<TSync>? _bell = (byFutex ?? NativeMethods.HasFutex) ? null : new Bell<TSync>();

    // The word stays where it is: the system knows sleepers by its address. A waker may still be about to pass that address on when the word is gone. That
    // wakes no thread, or wakes without reason a thread that sleeps on what is at the address then.
    private readonly PaddedInt[] _word = GC.AllocateArray<PaddedInt>(1, pinned: true);

    public override bool IsAsleep => TSync.RelaxedRead(ref _word[0].Value) == Sleeping;

    private int* Address => (int*)Unsafe.AsPointer(ref _word[0].Value);

    public override void Park()
    {
        // Pairs with the exchange in Unpark: either this thread sees the permit here, or the waker sees that this thread sleeps. Only its atomicity counts:
        // the exchange below orders.
        if (TSync.RelaxedCompareExchange(ref _word[0].Value, Sleeping, Nothing) == Nothing)
        {
            while (TSync.RelaxedRead(ref _word[0].Value) == Sleeping)
            {
                // Both return at once when the word has changed in between, and may return for no reason (an interrupt, a ring that comes late): hence the
                // loop.
                if (_bell is null)
                {
                    TSync.FutexWait(Address, Sleeping);
                }
                else
                {
                    _bell.Wait(Timeout.InfiniteTimeSpan);
                }
            }
        }

        // Acquires: pairs with the exchange in Unpark; what the waker wrote before it is seen after Park. An exchange and no plain write: a second waker's
        // permit may be taken together with the first one's. What the second waker wrote before must be seen after Park, or its wake is lost.
        TSync.OrderedExchange(ref _word[0].Value, Nothing);
    }

    public override void Unpark()
    {
        // Pairs with the compare-exchange in Park. Releases: pairs with the exchange there.
        if (TSync.OrderedExchange(ref _word[0].Value, Permit) == Sleeping)
        {
            if (_bell is null)
            {
                TSync.FutexWake(Address);
            }
            else
            {
                _bell.Ring();
            }
        }
    }
}
