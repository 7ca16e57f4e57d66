using System.Data;
using System.Data.Common;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// Open connections, the one used last on top. Who finds none waits for one that comes back or for his turn to open one: one after another, and with as many open as the gate lets in only after a moment, because a connection
/// comes back a little after the permit of its transaction. So a database sees hardly more sessions than are in use at once, and those that it knows best. Connections at the bottom are closed when they have been idle for
/// too long, by a thread that sleeps while nothing is idle and nobody waits.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ConnectionShelf<TSync> : IDisposable
    where TSync : struct, ISync
{
    /// <summary>Between the end of a transaction and the return of its connection lie microseconds; who holds one for longer uses it without a permit, and must not be waited for.</summary>
    private static readonly TimeSpan s_grace = TimeSpan.FromMilliseconds(10);

    private readonly DbDataSource _inner;
    private readonly Func<int> _limit;
    private readonly string _reset;
    private readonly TimeSpan _idleTimeout;
    private readonly TimeProvider _clock;
    private readonly long _createdAt;
    private readonly OverloadMonitor<TSync>? _monitor;
    private readonly object _lock = new();

    // All under the lock.
    private readonly List<(DbConnection Connection, TimeSpan Since)> _idle = [];
    private readonly LinkedList<ConnectionWaiter> _waiters = [];
    private bool _isOpening;
    private bool _isWatched;
    private bool _isDisposed;
    private int _open;
    private long _opened;
    private long _discarded;
    private long _expired;

    /// <summary>Creates an empty shelf.</summary>
    /// <param name="inner">Where connections come from.</param>
    /// <param name="options">The options, checked.</param>
    /// <param name="name">Name for the thread.</param>
    /// <param name="limit">How many the gate lets in; 0 for any number.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="isWatched">Whether there is a thread; without one <see cref="Look"/> is called by hand.</param>
    public ConnectionShelf(DbDataSource inner, GatedDataSourceOptions options, string name, Func<int> limit, TimeProvider clock, bool isWatched)
    {
        _inner = inner;
        _limit = limit;
        _reset = options.ResetStatement ?? "";
        _idleTimeout = options.IdleTimeout;
        _clock = clock;
        _createdAt = clock.GetTimestamp();
        _monitor = isWatched ? new OverloadMonitor<TSync>(name + " connections", Look) : null;
    }

    public GatedDataSourceSnapshot Snapshot
    {
        get
        {
            TSync.Enter(_lock);
            try
            {
                return new GatedDataSourceSnapshot(_open, _idle.Count, _waiters.Count, _opened, _discarded, _expired);
            }
            finally
            {
                TSync.Exit(_lock);
            }
        }
    }

    private bool HasRoom => _limit() is var limit && (limit == 0 || _open < limit);

    private TimeSpan Now => _clock.GetElapsedTime(_createdAt);

    /// <summary>An open connection, in its first state.</summary>
    /// <param name="isAsync">Whether the provider is called asynchronously. Synchronously this returns a completed task.</param>
    /// <param name="cancellationToken">Ends the wait, the opening and the reset.</param>
    public async Task<DbConnection> RentAsync(bool isAsync, CancellationToken cancellationToken)
    {
        while (true)
        {
            (DbConnection? connection, ConnectionWaiter? waiter) = Take();
            if (waiter is not null)
            {
                connection = await WaitAsync(waiter, isAsync, cancellationToken).ConfigureAwait(false);
            }

            if (connection is null)
            {
                return await OpenAsync(isAsync, cancellationToken).ConfigureAwait(false);
            }

            if (await TryResetAsync(connection, isAsync, cancellationToken).ConfigureAwait(false))
            {
                return connection;
            }
        }
    }

    /// <summary>Takes a connection back.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="isClean">Whether nothing is known to be left open on it.</param>
    public void Return(DbConnection connection, bool isClean)
    {
        if (!isClean || connection.State != ConnectionState.Open || !TryKeep(connection))
        {
            Discard(connection, isCounted: true);
        }
    }

    /// <summary>Closes what has been idle for too long, lets him open who has waited for long enough, and says when to look again; <see langword="null"/> when nothing is idle and nobody waits.</summary>
    public TimeSpan? Look()
    {
        List<DbConnection> expired = [];
        TimeSpan? next;
        TSync.Enter(_lock);
        try
        {
            TimeSpan now = Now;
            while (_idle.Count > 0 && now - _idle[0].Since >= _idleTimeout)
            {
                expired.Add(_idle[0].Connection);
                _idle.RemoveAt(0);
                _expired++;
            }

            if (!_isOpening && _waiters.First is { } first && now - first.Value.Since >= s_grace)
            {
                _isOpening = TryHandOver(null);
            }

            // While one opens, the end of that looks after the others.
            next = _idle.Count > 0 ? _idle[0].Since + _idleTimeout - now
                : !_isOpening && _waiters.First is { } waiting ? waiting.Value.Since + s_grace - now
                : null;
            _isWatched = next is not null;
        }
        finally
        {
            TSync.Exit(_lock);
        }

        expired.ForEach(connection => Discard(connection, isCounted: false));
        return next;
    }

    /// <summary>Closes all that are idle; those in use are closed when they come back.</summary>
    public void Dispose()
    {
        DbConnection[] idle;
        ConnectionWaiter[] waiters;
        TSync.Enter(_lock);
        try
        {
            _isDisposed = true;
            idle = [.. _idle.Select(static entry => entry.Connection)];
            waiters = [.. _waiters];
            _idle.Clear();
            _waiters.Clear();
        }
        finally
        {
            TSync.Exit(_lock);
        }

        Array.ForEach(waiters, static waiter => waiter.TrySetException(new ObjectDisposedException(nameof(GatedDataSource))));
        Array.ForEach(idle, connection => Discard(connection, isCounted: false));
        _monitor?.Dispose();
    }

    /// <summary>A connection; or a place in the queue; or, with neither, the turn to open one.</summary>
    private (DbConnection? Connection, ConnectionWaiter? Waiter) Take()
    {
        TSync.Enter(_lock);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(GatedDataSource));
            if (_idle.Count > 0)
            {
                DbConnection newest = _idle[^1].Connection;
                _idle.RemoveAt(_idle.Count - 1);
                return (newest, null);
            }

            if (!_isOpening && HasRoom)
            {
                _isOpening = true;
                return default;
            }

            var waiter = new ConnectionWaiter(Now);
            waiter.Place = _waiters.AddLast(waiter);
            LookSoon();
            return (null, waiter);
        }
        finally
        {
            TSync.Exit(_lock);
        }
    }

    private async Task<DbConnection?> WaitAsync(ConnectionWaiter waiter, bool isAsync, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(static (state, token) => ((ConnectionWaiter)state!).TrySetCanceled(token), waiter);
        try
        {
            return isAsync ? await waiter.Task.ConfigureAwait(false) : waiter.Task.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            Leave(waiter);
            throw;
        }
    }

    private void Leave(ConnectionWaiter waiter)
    {
        TSync.Enter(_lock);
        try
        {
            if (waiter.Place is { List: not null } place)
            {
                _waiters.Remove(place);
            }
        }
        finally
        {
            TSync.Exit(_lock);
        }
    }

    private async Task<DbConnection> OpenAsync(bool isAsync, CancellationToken cancellationToken)
    {
        DbConnection? connection = null;
        try
        {
            connection = _inner.CreateConnection();
            if (isAsync)
            {
                await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            }
            else
            {
                connection.Open();
            }
        }
        catch (Exception exception)
        {
            // First of all: nobody else could ever open one. Who waits would meet the same, one after another: they are told at once. A user's own cancellation says nothing about the server.
            EndTurn(wasOpened: false, cancellationToken.IsCancellationRequested ? null : exception);
            ThrowAway(connection);
            throw;
        }

        EndTurn(wasOpened: true, failure: null);
        return connection;
    }

    private void EndTurn(bool wasOpened, Exception? failure)
    {
        List<ConnectionWaiter> failed = [];
        TSync.Enter(_lock);
        try
        {
            _open += wasOpened ? 1 : 0;
            _opened += wasOpened ? 1 : 0;
            if (failure is not null)
            {
                failed.AddRange(_waiters);
                _waiters.Clear();
            }

            // The turn goes to the next one that still waits.
            _isOpening = HasRoom && TryHandOver(null);
            if (!_isOpening && _waiters.Count > 0)
            {
                LookSoon();
            }
        }
        finally
        {
            TSync.Exit(_lock);
        }

        failed.ForEach(waiter => waiter.TrySetException(failure!));
    }

    /// <summary>Gives a connection, or the turn to open one, to the first that waits. Under the lock: who waits goes on elsewhere.</summary>
    private bool TryHandOver(DbConnection? connection)
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

    /// <summary>Under the lock. The thread looks at what is idle last, and at once for one that waits: then it is woken although it means to look later.</summary>
    private void LookSoon()
    {
        if (!_isWatched || _waiters.Count > 0)
        {
            _isWatched = _monitor?.Wake() == true;
        }
    }

    private bool TryKeep(DbConnection connection)
    {
        TSync.Enter(_lock);
        try
        {
            if (_isDisposed)
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
        finally
        {
            TSync.Exit(_lock);
        }
    }

    private async Task<bool> TryResetAsync(DbConnection connection, bool isAsync, CancellationToken cancellationToken)
    {
        if (_reset.Length == 0)
        {
            return true;
        }

        try
        {
            using DbCommand command = connection.CreateCommand();
            command.CommandText = _reset;
            if (isAsync)
            {
                await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
            }
            else
            {
                command.ExecuteNonQuery();
            }

            return true;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            Discard(connection, isCounted: true);
            throw;
        }
        catch (Exception)
        {
            // Whatever it was, nobody knows what state the session is in, or whether there is one: another connection is taken.
            Discard(connection, isCounted: true);
            return false;
        }
    }

    private void Discard(DbConnection connection, bool isCounted)
    {
        TSync.Enter(_lock);
        try
        {
            _open--;
            _discarded += isCounted ? 1 : 0;
        }
        finally
        {
            TSync.Exit(_lock);
        }

        ThrowAway(connection);
    }

    private static void ThrowAway(DbConnection? connection)
    {
        try
        {
            connection?.Dispose();
        }
        catch (Exception)
        {
            // It is thrown away because it is broken: how it ends is nobody's concern.
        }
    }
}
