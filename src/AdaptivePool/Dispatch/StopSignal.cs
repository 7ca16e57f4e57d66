using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>Says once and for all that a thread is to end, and cuts its waits for a time short.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class StopSignal<TSync>
    where TSync : struct, ISync
{
    private bool _isSet;

    /// <summary>Whether the thread is to end.</summary>
    public bool IsSet => TSync.RelaxedRead(ref _isSet);

    /// <summary>Says it. Any thread.</summary>
    public void Set()
    {
        // Under the lock, or the pulse could fall between the look and the wait in Wait and be lost.
        TSync.Enter(this);
        TSync.RelaxedWrite(ref _isSet, true);
        TSync.Pulse(this);
        TSync.Exit(this);
    }

    /// <summary>Waits for a time, or until it is said. The thread that is to end only.</summary>
    /// <param name="most">How long.</param>
    public void Wait(TimeSpan most)
    {
        TSync.Enter(this);
        try
        {
            if (!IsSet)
            {
                TSync.Wait(this, most);
            }
        }
        finally
        {
            TSync.Exit(this);
        }
    }
}
