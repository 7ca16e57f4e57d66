using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>What one worker sleeps on. A permit that arrives before the worker sleeps is kept, so no wake is lost; permits do not add up.</summary>
internal abstract unsafe class Parking
{
    /// <summary>Whether a futex call works here; tried once with a wake that nobody waits for.</summary>
    public static bool HasFutex { get; } = Probe();

    /// <summary>
    /// The cheapest kind that works on this system: a futex on Linux (2.6 us to running against 14 us of a monitor, measured), a monitor elsewhere.
    /// </summary>
    public static Parking Create() => Create<RealSync>();

    /// <summary>The same on the machine or its model.</summary>
    /// <typeparam name="TSync">The machine or its model.</typeparam>
    public static Parking Create<TSync>()
        where TSync : struct, ISync => HasFutex ? new FutexParking<TSync>() : new MonitorParking<TSync>();

    /// <summary>Sleeps until a permit is there and takes it. Only the owner calls this.</summary>
    public abstract void Park();

    /// <summary>Gives the permit. Any thread.</summary>
    public abstract void Unpark();

    /// <summary>Whether the owner sleeps, or is about to, and no permit is there. Any thread; a hint while the owner or a waker moves.</summary>
    public abstract bool IsAsleep { get; }

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
