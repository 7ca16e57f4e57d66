using System.Runtime.InteropServices;

namespace AdaptivePool.Dispatch;

/// <summary>
/// Parking by a word of native memory: on Linux by a futex (2.6 us to running against 14 us of a monitor, measured), elsewhere by an event.
/// </summary>
/// <remarks>The word: 0 nothing, 1 a permit, -1 the owner sleeps or is about to. Only the owner writes 0 and -1, any thread writes 1.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed unsafe class WordParking<TSync> : Parking
    where TSync : struct, ISync
{
    private const int Nothing = 0;
    private const int Permit = 1;
    private const int Sleeping = -1;
    private readonly int* _word;
    private readonly Bell<TSync>? _bell;

    /// <param name="byFutex">Whether there is a futex; <see langword="null"/> for what this system has.</param>
    public WordParking(bool? byFutex = null)
    {
        // A cache line of its own: the word is written by other cores.
        _word = (int*)NativeMemory.AlignedAlloc(128, 128);
        *_word = Nothing;
        _bell = (byFutex ?? NativeMethods.HasFutex) ? null : new Bell<TSync>();
    }

    public override bool IsAsleep
    {
        get
        {
            bool isAsleep = TSync.RelaxedRead(ref *_word) == Sleeping;
            GC.KeepAlive(this);
            return isAsleep;
        }
    }

    public override void Park()
    {
        // Pairs with the exchange in Unpark: either we see the permit here, or the waker sees that we sleep. Only its atomicity counts: the exchange below
        // orders.
        if (TSync.RelaxedCompareExchange(ref *_word, Sleeping, Nothing) == Nothing)
        {
            while (TSync.RelaxedRead(ref *_word) == Sleeping)
            {
                // Both return at once when the word has changed in between, and may return for no reason (an interrupt, a ring that comes late): hence the
                // loop.
                if (_bell is null)
                {
                    TSync.FutexWait(_word, Sleeping);
                }
                else
                {
                    _bell.Wait(Timeout.InfiniteTimeSpan);
                }
            }
        }

        // Acquires: pairs with the exchange in Unpark; what the waker wrote before it is seen after Park. An update and no plain write: a second waker's permit
        // may be taken together with the first one's; what it wrote before must be seen after Park, or its wake is lost.
        TSync.OrderedExchange(ref *_word, Nothing);
        GC.KeepAlive(this);
    }

    public override void Unpark()
    {
        // Pairs with the compare-exchange in Park. Releases: pairs with the exchange there.
        if (TSync.OrderedExchange(ref *_word, Permit) == Sleeping)
        {
            if (_bell is null)
            {
                TSync.FutexWake(_word);
            }
            else
            {
                _bell.Ring();
            }
        }

        GC.KeepAlive(this);
    }

    // A finalizer, because a waker may still be inside Unpark when the sleeper has ended.
    ~WordParking() => NativeMemory.AlignedFree(_word);
}
