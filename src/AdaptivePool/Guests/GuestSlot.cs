using AdaptivePool.Internal;

namespace AdaptivePool.Guests;

/// <summary>A thread of the runtime's pool that runs guests, one inside the other at most: which class, and whether it is still the same request.</summary>
internal sealed class GuestSlot
{
    [ThreadStatic]
    private static GuestSlot? t_current;

    private GuestClass? _class;
    private int _sequence;
    private int _depth;

    private GuestSlot()
    {
        Thread = Thread.CurrentThread;
        ThreadId = ThreadClock.CurrentThreadId();
    }

    /// <summary>The slot of the calling thread, made known to the watch when it is new.</summary>
    public static GuestSlot Current => t_current ?? Create();

    /// <summary>The thread it belongs to.</summary>
    public Thread Thread { get; }

    /// <summary>The system's number of the thread; 0 where it has none.</summary>
    public int ThreadId { get; }

    /// <summary>Odd while a guest runs; another number for each.</summary>
    public int Sequence => Volatile.Read(ref _sequence);

    /// <summary>Whether a guest runs.</summary>
    public bool IsRunning => (Sequence & 1) != 0;

    /// <summary>The class of the guest that runs, or ran last.</summary>
    public GuestClass? Class => Volatile.Read(ref _class);

    /// <summary>What the watch saw last. The watch only.</summary>
    public int SeenSequence { get; set; }

    /// <summary>For how long it has seen it. The watch only.</summary>
    public TimeSpan Age { get; set; }

    /// <summary>CPU clock of the thread when the watch first saw it, in seconds. The watch only.</summary>
    public double CpuAtFirst { get; set; } = double.NaN;

    /// <summary>A guest begins to run. Own thread only.</summary>
    /// <param name="guest">Its class.</param>
    /// <returns>The class inside whose guest it runs; null for none.</returns>
    public GuestClass? Enter(GuestClass guest)
    {
        GuestClass? outer = _depth > 0 ? _class : null;
        Volatile.Write(ref _class, guest);
        if (_depth++ == 0)
        {
            // Published after the class: whoever sees the number odd finds the class of this guest, or of one that came after it. A full fence: pairs with the
            // exchange in Doze.Sleep. Without it the watch could fall asleep beside a guest that runs for ever, and the guest not see it asleep.
            Interlocked.Increment(ref _sequence);
        }

        return outer;
    }

    /// <summary>It has run. Own thread only.</summary>
    /// <param name="outer">What <see cref="Enter"/> returned.</param>
    public void Leave(GuestClass? outer)
    {
        if (--_depth == 0)
        {
            Volatile.Write(ref _sequence, _sequence + 1);
        }
        else
        {
            Volatile.Write(ref _class, outer);
        }
    }

    private static GuestSlot Create()
    {
        var slot = new GuestSlot();
        t_current = slot;
        GuestWatch.Process.Add(slot);
        return slot;
    }
}
