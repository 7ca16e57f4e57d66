using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// The protocol of a <see cref="ConnectionShelf"/>: which caller gets which connection, which caller opens one, and which callers get a failure. It knows
/// connections only as references, so that the same code runs under the model checker. docs/memory-model.md has its steps.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="T">Type of connections.</typeparam>
/// <param name="limit">How many the gate lets in; 0 for any number.</param>
/// <param name="idleTimeout">How long one may be idle.</param>
/// <param name="clock">The clock.</param>
internal sealed class ShelfCore<TSync, T>(Func<int> limit, TimeSpan idleTimeout, TimeProvider clock)
    where TSync : struct, ISync
    where T : class
{
    /// <summary>A connection comes back microseconds after its transaction has ended. A caller that keeps it for longer uses it without a permit, and no other
    /// caller may wait for it.</summary>
    public static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(10);

    private readonly long _createdAt = clock.GetTimestamp();
    private readonly SyncLock<TSync> _lock = new();

    // All under the lock.
    private readonly List<(T Connection, TimeSpan Since)> _idle = [];
    private readonly LinkedList<ConnectionWaiter<T>> _waiters = [];
    private bool _isOpening;
    private bool _isWatched;
    private bool _isClosed;
    private int _open;
    private long _opened;
    private long _discarded;
    private long _expired;

    /// <summary>The thread that looks; <see langword="null"/> where <see cref="Look"/> is called by hand. Set before the first connection.</summary>
    public TimerThread<TSync>? Monitor { get; set; }

    public GatedDataSourceSnapshot Snapshot
    {
        get
        {
            using (_lock.Hold())
            {
                return new GatedDataSourceSnapshot(_open, _idle.Count, _waiters.Count, _opened, _discarded, _expired);
            }
        }
    }

    private bool HasRoom => limit() is var most && (most == 0 || _open < most);

    private TimeSpan Now => clock.GetElapsedTime(_createdAt);

    /// <summary>Returns the idle connection that was used last, and how long it was idle. If none is idle, returns a place in the queue, or neither: then it is
    /// the caller's turn to open one.</summary>
    /// <exception cref="ObjectDisposedException">The shelf is closed.</exception>
    public (T? Connection, TimeSpan Idle, ConnectionWaiter<T>? Waiter) Take()
    {
        using (_lock.Hold())
        {
            ObjectDisposedException.ThrowIf(_isClosed, typeof(GatedDataSource));
            if (_idle.Count > 0)
            {
                (T newest, TimeSpan since) = _idle[^1];
                _idle.RemoveAt(_idle.Count - 1);
                return (newest, Now - since, null);
            }

            if (!_isOpening && HasRoom)
            {
                _isOpening = true;
                return default;
            }

            var waiter = new ConnectionWaiter<T>(Now);
            _waiters.AddLast(waiter);
            LookSoon();
            return (null, default, waiter);
        }
    }

    /// <summary>Removes from the queue a caller that has given up.</summary>
    public void Leave(ConnectionWaiter<T> waiter)
    {
        using (_lock.Hold())
        {
            _waiters.Remove(waiter);
        }
    }

    /// <summary>The turn to open a connection has ended. A failure ends all waits at once: otherwise the callers would get the same failure one after
    /// another.</summary>
    /// <param name="wasOpened">Whether there is one more.</param>
    /// <param name="failure">What the server said; <see langword="null"/> when it said nothing.</param>
    public void EndTurn(bool wasOpened, Exception? failure)
    {
        using (_lock.Hold())
        {
            _open += wasOpened ? 1 : 0;
            _opened += wasOpened ? 1 : 0;
            if (failure is not null)
            {
                FailWaiters(failure);
            }

            _isOpening = false;
            PassTurn();
            if (!_isOpening && _waiters.Count > 0)
            {
                LookSoon();
            }
        }
    }

    /// <summary>Gives a connection to the first caller that waits, or keeps it. False once the shelf is closed: then the caller closes the
    /// connection.</summary>
    public bool TryKeep(T connection)
    {
        using (_lock.Hold())
        {
            if (_isClosed)
            {
                return false;
            }

            if (!TryHandOver(connection))
            {
                _idle.Add((connection, Now));
                LookSoon();
            }

            return true;
        }
    }

    /// <summary>An open connection is thrown away, so there is room for another one. A caller that waits opens it at once, and not only when the thread
    /// looks.</summary>
    /// <param name="isCounted">Whether it was broken, and not merely idle for too long.</param>
    public void Drop(bool isCounted)
    {
        using (_lock.Hold())
        {
            _open--;
            _discarded += isCounted ? 1 : 0;
            PassTurn();
        }
    }

    /// <summary>
    /// Takes out connections that have been idle for too long, lets the first waiter open one when it has waited for long enough, and returns when to look
    /// again.
    /// </summary>
    /// <param name="expired">The connections taken out: the caller drops them.</param>
    /// <returns><see langword="null"/> when no connection is idle, and no caller waits or one is opening a connection.</returns>
    public TimeSpan? Look(List<T> expired)
    {
        using (_lock.Hold())
        {
            TimeSpan now = Now;
            while (_idle.Count > 0 && now - _idle[0].Since >= idleTimeout)
            {
                expired.Add(_idle[0].Connection);
                _idle.RemoveAt(0);
                _expired++;
            }

            if (!_isOpening && _waiters.First is { } first && now - first.Value.Since >= Grace)
            {
                _isOpening = TryHandOver(null);
            }

            // While a caller opens a connection, the end of its turn serves the others.
            TimeSpan? next = _idle.Count > 0 ? _idle[0].Since + idleTimeout - now
                : !_isOpening && _waiters.First is { } waiting ? waiting.Value.Since + Grace - now
                : null;
            _isWatched = next is not null;
            return next;
        }
    }

    /// <summary>Ends all waits. Connections in use are refused when they come back.</summary>
    /// <param name="reason">The exception for the callers that wait.</param>
    /// <returns>The idle connections: the caller drops them.</returns>
    public T[] Close(Exception reason)
    {
        using (_lock.Hold())
        {
            _isClosed = true;
            FailWaiters(reason);
            T[] idle = [.. _idle.Select(static entry => entry.Connection)];
            _idle.Clear();
            return idle;
        }
    }

    /// <summary>Runs under the lock: the waiters continue on other threads.</summary>
    private void FailWaiters(Exception failure)
    {
        foreach (ConnectionWaiter<T> waiter in _waiters)
        {
            waiter.TrySetException(failure);
        }

        _waiters.Clear();
    }

    /// <summary>Gives the turn to open a connection to the first caller that waits, if no caller has the turn and there is room.</summary>
    private void PassTurn()
    {
        if (!_isOpening && HasRoom)
        {
            _isOpening = TryHandOver(null);
        }
    }

    /// <summary>Gives a connection, or the turn to open one, to the first caller that waits. Runs under the lock: the waiters continue on other
    /// threads.</summary>
    private bool TryHandOver(T? connection)
    {
        while (_waiters.First is { } first)
        {
            _waiters.RemoveFirst();
            if (first.Value.TrySetResult(connection))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Makes the thread look. An idle connection needs no earlier look than the planned one, because the newest expires last. A caller that waits
    /// does: the thread is woken even if it plans to look later.</summary>
    private void LookSoon()
    {
        if (!_isWatched || _waiters.Count > 0)
        {
            _isWatched = Monitor?.Wake() == true;
        }
    }
}
