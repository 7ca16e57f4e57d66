using System.Runtime.InteropServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>Parking by a Linux futex on native memory of its own.</summary>
/// <remarks>The word: 0 nothing, 1 a permit, -1 the owner sleeps or is about to. Only the owner writes 0 and -1, anybody writes 1.</remarks>
internal sealed unsafe class FutexParking : Parking
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

    /// <summary>Whether a futex call works here; tried once with a wake that nobody waits for.</summary>
    public static bool IsSupported { get; } = Probe();

    public override void Park()
    {
        // Pairs with the exchange in Unpark: either we see the permit here, or the waker sees that we sleep.
        if (Interlocked.CompareExchange(ref *_word, Sleeping, Nothing) == Nothing)
        {
            while (Volatile.Read(ref *_word) == Sleeping)
            {
                // Returns at once when the word has changed in between, and may return for no reason: hence the loop.
                NativeMethods.FutexWait(_word, Sleeping);
            }
        }

        Volatile.Write(ref *_word, Nothing);
        GC.KeepAlive(this);
    }

    public override void Unpark()
    {
        // Pairs with the compare-exchange in Park.
        if (Interlocked.Exchange(ref *_word, Permit) == Sleeping)
        {
            NativeMethods.FutexWake(_word);
        }

        GC.KeepAlive(this);
    }

    // A finalizer, because a waker may still be inside Unpark when the sleeper has ended.
    ~FutexParking() => NativeMemory.AlignedFree(_word);

    private static bool Probe()
    {
        if (!NativeMethods.HasSystemCalls)
        {
            return false;
        }

        int* word = stackalloc int[1];
        try
        {
            return NativeMethods.FutexWake(word) == 0;
        }
        catch (Exception exception) when (exception is DllNotFoundException or EntryPointNotFoundException or BadImageFormatException)
        {
            return false;
        }
    }
}
