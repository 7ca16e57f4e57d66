namespace AdaptivePool.Internal;

/// <summary>
/// A thread that looks at something at the time that it has set itself, or earlier when it is woken. It is started when it is first woken, and sleeps while
/// there is nothing to look at. It is not a timer, because timers fire on the runtime's pool, which may be the one that is overloaded.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="name">Name of the thread.</param>
/// <param name="look">Looks, and returns the time until the next look; <see langword="null"/> when the thread will be woken.</param>
/// <param name="hasWork">Whether there is something to look at when the thread waits to be woken; null where the caller always wakes it.</param>
/// <param name="end">The last action of the thread, so that no caller waits for a look that is under way.</param>
internal sealed class TimerThread<TSync>(string name, Func<TimeSpan?> look, Func<bool>? hasWork = null, Action? end = null) : IDisposable
    where TSync : struct, ISync
{
    /// <summary>A wait that is rounded down to zero would make the thread spin.</summary>
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);

    /// <summary>Time to the next look after a look that ran out of memory.</summary>
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(10);

    private readonly Doze<TSync> _doze = new(hasWork ?? (static () => false), isAsleep: true);
    private readonly SyncLock<TSync> _starting = new();
    private bool _isStarted;

    /// <summary>Whether there is a thread.</summary>
    public bool IsStarted
    {
        get => TSync.RelaxedRead(ref _isStarted);
        set => TSync.RelaxedWrite(ref _isStarted, value);
    }

    /// <summary>Called when there is something to look at earlier than the thread knows. Any thread may call it.</summary>
    /// <returns>False when there is no thread and none could be created: the next caller tries again.</returns>
    public bool Wake()
    {
        bool isStarted = IsStarted || TryStart();
        if (isStarted)
        {
            _doze.Call();
        }

        return isStarted;
    }

    /// <summary>Called when there is something to look at for a thread that waits to be woken, after that was published. Any thread may call it. It costs a
    /// fence and two reads while the thread looks, and a lock until there is a thread.</summary>
    public void WakeUp()
    {
        // Between the publication and the look at the sleeper: pairs with the exchange in Doze.Sleep.
        TSync.Fence();
        if (IsStarted || TryStart())
        {
            _doze.WakeUp();
        }
    }

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        using (_starting.Hold())
        {
            bool isEnding = _doze.IsEnding;
            _doze.End();
            if (IsStarted || isEnding)
            {
                return;
            }
        }

        end?.Invoke();
    }

    /// <summary>The body of the thread.</summary>
    public void Run()
    {
        do
        {
            // A call that comes during a look may not be seen by it: the bell is rung, and the thread looks again.
            TimeSpan? next = Look();
            if (next is null && hasWork is not null)
            {
                _doze.Sleep();
            }
            else
            {
                _doze.Pause(next is null ? Timeout.InfiniteTimeSpan : next.Value > s_shortest ? next.Value : s_shortest);
            }
        }
        while (!_doze.IsEnding);
        end?.Invoke();
    }

    private TimeSpan? Look()
    {
        try
        {
            return look();
        }
        catch (OutOfMemoryException)
        {
            // The heap is full for a moment. The thread continues, and looks again.
            return s_retry;
        }
    }

    private bool TryStart()
    {
        if (_doze.IsEnding)
        {
            return IsStarted;
        }

        // Pairs with itself: one of several callers that come at once starts the thread. Pairs with Dispose, after which no caller does.
        using SyncLock<TSync>.Holder held = _starting.Hold();
        if (IsStarted || _doze.IsEnding)
        {
            return IsStarted;
        }

        try
        {
            TSync.Start(Run, name, stackSize: 0);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // Nothing is lost: the look only comes late.
            return false;
        }

        IsStarted = true;
        return true;
    }
}
