namespace AdaptivePool.Admission;

/// <summary>The thread that ends waits which have lasted too long. Started when first somebody waits, asleep while nobody does; not a timer, because timers fire on the runtime's pool, which may be what is overloaded.</summary>
internal sealed class OverloadMonitor(string name, Func<TimeSpan?> look) : IDisposable
{
    /// <summary>A wait rounded down to nothing would make the thread spin.</summary>
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private readonly AutoResetEvent _wake = new(initialState: false);
    private bool _started;
    private bool _stopped;

    /// <summary>Somebody's wait ends earlier than the thread knows. Under the gate's lock.</summary>
    /// <returns>False when there is no thread and none could be created: the next one that waits tries again.</returns>
    public bool Wake()
    {
        if (!_started)
        {
            try
            {
                new Thread(Run) { IsBackground = true, Name = name + " gate" }.UnsafeStart();
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                // The one that waits has its place already, and is let in when a permit comes back; only the end of its wait is late.
                return false;
            }

            _started = true;
        }

        _wake.Set();
        return true;
    }

    /// <summary>Ends the thread. The event is left to the collector: the thread may still wait for it.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _stopped, true);
        _wake.Set();
    }

    private void Run()
    {
        // Pairs with the write in Dispose, which is followed by a signal.
        while (!Volatile.Read(ref _stopped))
        {
            if (look() is { } next)
            {
                _wake.WaitOne(next > s_shortest ? next : s_shortest);
            }
            else
            {
                _wake.WaitOne();
            }
        }
    }
}
