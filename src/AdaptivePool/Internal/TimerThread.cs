namespace AdaptivePool.Internal;

/// <summary>
/// A thread that looks at something when it has said it would, or earlier when it is woken. Started when it is first woken, asleep while there is nothing to
/// look at; not a timer, because timers fire on the runtime's pool, which may be what is overloaded.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="name">Name of the thread.</param>
/// <param name="look">Looks, and says when to look again; <see langword="null"/> when it will be told.</param>
/// <param name="hasWork">Whether there is something to look at for one that waits to be told; nothing where who tells always wakes it.</param>
/// <param name="end">The last thing that the thread does, so that nobody waits for a look that is under way.</param>
internal sealed class TimerThread<TSync>(string name, Func<TimeSpan?> look, Func<bool>? hasWork = null, Action? end = null) : IDisposable
    where TSync : struct, ISync
{
    /// <summary>A wait rounded down to nothing would make the thread spin.</summary>
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);

    /// <summary>How long after a look that found no memory.</summary>
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

    /// <summary>There is something to look at earlier than the thread knows. Any thread.</summary>
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

    /// <summary>There is something to look at for a thread that waits to be told; it is published. Any thread; a fence and two reads while it
    /// looks, a lock until there is a thread.</summary>
    public void WakeUp()
    {
        // Between what was published and the look at the sleeper: pairs with the exchange in Doze.Sleep.
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

    /// <summary>What the thread does.</summary>
    public void Run()
    {
        do
        {
            // What is said while it looks, it has not seen: the bell is rung, and it looks again.
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
            // The heap is full for a moment: the thread goes on, and looks again.
            return s_retry;
        }
    }

    private bool TryStart()
    {
        if (_doze.IsEnding)
        {
            return IsStarted;
        }

        // Pairs with itself: of callers that come at once one starts it; and with Dispose, after which nobody does.
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
            // Nothing is lost: what it would have looked at is looked at late.
            return false;
        }

        IsStarted = true;
        return true;
    }
}
