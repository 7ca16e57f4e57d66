namespace AdaptivePool.Internal;

/// <summary>
/// What Thread.Interrupt leaves behind on a thread that does not wait: the next wait of the runtime ends with an exception, whoever begins it.
/// </summary>
internal static class Interruption
{
    /// <summary>Nobody sets it: looking at it waits for no time, and takes an interrupt that is pending.</summary>
    private static readonly ManualResetEvent s_never = new(initialState: false);

    /// <summary>Takes an interrupt of the calling thread that is pending. A quarter of a microsecond.</summary>
    public static void Forget()
    {
        try
        {
            s_never.WaitOne(0);
        }
        catch (ThreadInterruptedException)
        {
            // It came while no item ran, or the item that it was meant for has ended.
        }
    }
}
