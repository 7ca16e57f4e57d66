using System.Runtime.InteropServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>Parking by a Linux futex on native memory of its own.</summary>
/// <remarks>The word: 0 nothing, 1 a permit, -1 the owner sleeps or is about to. Only the owner writes 0 and -1, any thread writes 1.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed unsafe class FutexParking<TSync> : Parking
    where TSync : struct, ISync
{
    private const int Nothing = 0;
    private const int Permit = 1;
    private const int Sleeping = -1;
    private readonly int* _word;

    public FutexParking()
    {
        // A cache line of its own: the word is written by other cores.
        _word = (int*)NativeMemory.AlignedAlloc(128, 128);
        *_word = Nothing;
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
                // Returns at once when the word has changed in between, and may return for no reason: hence the loop.
                TSync.FutexWait(_word, Sleeping);
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
            TSync.FutexWake(_word);
        }

        GC.KeepAlive(this);
    }

    // A finalizer, because a waker may still be inside Unpark when the sleeper has ended.
    ~FutexParking() => NativeMemory.AlignedFree(_word);
}
