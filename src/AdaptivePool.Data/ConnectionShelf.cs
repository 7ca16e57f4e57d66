using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// Open connections, the one used last on top. A caller that finds no connection waits until one comes back, or until it is its turn to open one. Callers open
/// connections one after another. Once as many are open as the gate lets in, a caller opens another one only after a short wait, because a connection comes
/// back a little after the permit of its transaction. So a database sees hardly more sessions than are in use at once, and sees the same ones again. A thread
/// closes connections at the bottom that have been idle for too long. It sleeps while no connection is idle and no caller waits.
/// <see cref="ShelfCore{TSync, T}"/> decides; this class opens, resets and closes connections.
/// </summary>
internal sealed class ConnectionShelf : IDisposable
{
    private readonly DbDataSource _inner;
    private readonly GatedDataSourceOptions _options;
    private readonly ShelfCore<RealSync, DbConnection> _core;

    /// <summary>Creates an empty shelf.</summary>
    /// <param name="inner">Where connections come from.</param>
    /// <param name="options">The options, checked.</param>
    /// <param name="name">Name for the thread.</param>
    /// <param name="limit">How many the gate lets in; 0 for any number.</param>
    /// <param name="clock">Another clock than the system's; then there is no thread, and <see cref="Look"/> is called by hand.</param>
    public ConnectionShelf(DbDataSource inner, GatedDataSourceOptions options, string name, Func<int> limit, TimeProvider? clock)
    {
        _inner = inner;
        _options = options;
        _core = new ShelfCore<RealSync, DbConnection>(limit, options.IdleTimeout, clock ?? TimeProvider.System);
        _core.Monitor = clock is null ? new TimerThread<RealSync>(name + " connections", Look) : null;
    }

    public GatedDataSourceSnapshot Snapshot => _core.Snapshot;

    /// <summary>Whether new commands of the provider have the transaction of their connection; <see langword="null"/> until a kept connection has begun
    /// one.</summary>
    public bool? GivesTransactions { get; set; }

    /// <summary>An open connection, in its first state. One that has been idle for a while is tried before.</summary>
    /// <param name="isAsync">Whether the provider is called asynchronously. Synchronously this returns a completed task.</param>
    /// <param name="cancellationToken">Ends the wait, the opening and the trial.</param>
    public async Task<DbConnection> RentAsync(bool isAsync, CancellationToken cancellationToken)
    {
        while (true)
        {
            (DbConnection? connection, TimeSpan idle, ConnectionWaiter<DbConnection>? waiter) = _core.Take();
            if (waiter is not null)
            {
                connection = await WaitAsync(waiter, isAsync, cancellationToken).ConfigureAwait(false);
            }

            if (connection is null)
            {
                return await OpenAsync(isAsync, cancellationToken).ConfigureAwait(false);
            }

            bool isTried = waiter is null && idle >= _options.ValidateAfter;
            if (isTried ? await TryResetAsync(connection, isAsync, cancellationToken).ConfigureAwait(false) : connection.State == ConnectionState.Open)
            {
                return connection;
            }

            Discard(connection, isCounted: true);
        }
    }

    /// <summary>Takes a connection back and resets it, so that nothing of its use is left in the database: no transaction, lock or setting. A connection that
    /// cannot be reset is thrown away. Never throws. Synchronously it returns a completed task.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="isClean">Whether nothing is known to be left open on it.</param>
    /// <param name="isSuspect">Whether a transaction may be open that the provider was not asked for.</param>
    /// <param name="isAsync">Whether the provider is called asynchronously.</param>
    public async Task ReturnAsync(DbConnection connection, bool isClean, bool isSuspect, bool isAsync)
    {
        bool isReset = isClean
            && await TryResetAsync(connection, isAsync, CancellationToken.None).ConfigureAwait(false)
            && (!isSuspect || await HasNoTransactionAsync(connection, isAsync).ConfigureAwait(false));
        Keep(connection, isReset);
    }

    /// <summary>Takes back a connection that has not been used since it was reset.</summary>
    public void Keep(DbConnection connection, bool isReset = true)
    {
        if (!isReset || connection.State != ConnectionState.Open || !_core.TryKeep(connection))
        {
            Discard(connection, isCounted: true);
        }
    }

    /// <summary>Closes connections that have been idle for too long, lets the first waiter open one when it has waited for long enough, and returns when to
    /// look again; <see langword="null"/> when no connection is idle, and no caller waits or one is opening a connection.</summary>
    public TimeSpan? Look()
    {
        List<DbConnection> expired = [];
        TimeSpan? next = _core.Look(expired);
        expired.ForEach(connection => Discard(connection, isCounted: false));
        return next;
    }

    /// <summary>Closes all that are idle; those in use are closed when they come back.</summary>
    public void Dispose()
    {
        Array.ForEach(_core.Close(new ObjectDisposedException(nameof(GatedDataSource))), connection => Discard(connection, isCounted: false));
        _core.Monitor?.Dispose();
    }

    /// <summary>Passes on the answer of a caller that no longer waits: a connection, or the turn to open one.</summary>
    /// <param name="answer">Its task, which has ended.</param>
    internal void PassOn(Task<DbConnection?> answer)
    {
        if (!answer.IsCompletedSuccessfully)
        {
            return;
        }

        if (answer.Result is { } connection)
        {
            Keep(connection);
        }
        else
        {
            _core.EndTurn(wasOpened: false, failure: null);
        }
    }

    private async Task<DbConnection?> WaitAsync(ConnectionWaiter<DbConnection> waiter, bool isAsync, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration =
            cancellationToken.UnsafeRegister(static (state, token) => ((ConnectionWaiter<DbConnection>)state!).TrySetCanceled(token), waiter);
        try
        {
            return isAsync ? await waiter.Task.ConfigureAwait(false) : waiter.Task.GetAwaiter().GetResult();
        }
        catch (Exception)
        {
            // A waiter that was cancelled or failed has its answer. A waiter whose thread was interrupted has none, and may get a connection or a turn at this
            // moment.
            waiter.TrySetCanceled(CancellationToken.None);
            _core.Leave(waiter);
            PassOn(waiter.Task);
            throw;
        }
    }

    private async Task<DbConnection> OpenAsync(bool isAsync, CancellationToken cancellationToken)
    {
        DbConnection? connection = null;
        try
        {
            connection = _inner.CreateConnection();
            await connection.OpenAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            // Comes first: until this turn ends, no other caller can open a connection.
            _core.EndTurn(wasOpened: false, exception.OfServer(cancellationToken));
            ProviderCalls.Quietly(() => connection?.Dispose());
            throw;
        }

        _core.EndTurn(wasOpened: true, failure: null);
        return connection;
    }

    /// <summary>Runs the reset statement; false when no caller may get the connection.</summary>
    private async Task<bool> TryResetAsync(DbConnection connection, bool isAsync, CancellationToken cancellationToken)
    {
        try
        {
            if (connection.State == ConnectionState.Open && !string.IsNullOrEmpty(_options.ResetStatement))
            {
                using DbCommand command = connection.CreateCommand();
                command.CommandText = _options.ResetStatement;
                await command.ExecuteAsync(isAsync, cancellationToken).ConfigureAwait(false);
            }

            return connection.State == ConnectionState.Open;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            Discard(connection, isCounted: true);
            throw;
        }
        catch (Exception)
        {
            // After any failure, the state of the session is unknown, and the session may be gone.
            return false;
        }
    }

    /// <summary>Begins a transaction and rolls it back. A session that is inside a transaction refuses to begin another one, or the rollback ends the open one.
    /// Only suspect sessions are checked, because the check is expensive.</summary>
    private static async Task<bool> HasNoTransactionAsync(DbConnection connection, bool isAsync)
    {
        try
        {
            DbTransaction begun = await connection.BeginTransactionAsync(IsolationLevel.Unspecified, isAsync, CancellationToken.None).ConfigureAwait(false);
            await begun.RollbackAsync(isAsync, CancellationToken.None).ConfigureAwait(false);
            await begun.DisposeAsync(isAsync).ConfigureAwait(false);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    private void Discard(DbConnection connection, bool isCounted)
    {
        // Comes first: the server counts the session until it is closed, and may refuse another one until then.
        ProviderCalls.Quietly(connection.Dispose);

        // What makes the first attempt fail rarely makes the second one fail.
        ProviderCalls.Quietly(() =>
        {
            if (connection.State != ConnectionState.Closed)
            {
                connection.Dispose();
            }
        });
        _core.Drop(isCounted);
    }
}
