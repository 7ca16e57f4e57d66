using AdaptivePool.Internal;

namespace AdaptivePool.Guests;

/// <summary>A thread of the runtime's pool that runs guests, and what the watch has seen of it.</summary>
internal sealed class GuestSlot : GuestMark<RealSync>
{
    [ThreadStatic]
    private static GuestSlot? t_current;

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

    /// <summary>What the watch saw last. The watch only.</summary>
    public int SeenSequence { get; set; }

    /// <summary>For how long it has seen it. The watch only.</summary>
    public TimeSpan Age { get; set; }

    /// <summary>CPU clock of the thread when the watch first saw it, in seconds. The watch only.</summary>
    public double CpuAtFirst { get; set; } = double.NaN;

    private static GuestSlot Create()
    {
        var slot = new GuestSlot();
        t_current = slot;
        GuestWatch.Process.Add(slot);
        return slot;
    }
}
