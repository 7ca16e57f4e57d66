using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// Open connections, the one used last on top. A caller that finds none waits for one that comes back, or for its turn to open one:
/// one after another, and with as many open as the gate lets in only after a moment, because a connection
/// comes back a little after the permit of its transaction. So a database sees hardly more sessions than are in use at once, and those that it knows best.
/// Connections at the bottom are closed when they have been idle for too long, by a thread that sleeps while nothing is idle and nobody waits.
/// <see cref="ShelfCore{TSync, T}"/> decides; here connections are opened, reset and closed.
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

    /// <summary>Whether commands of the provider have the transaction of their connection from the beginning;
    /// <see langword="null"/> while nobody has seen one.</summary>
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

    /// <summary>Takes a connection back and resets it, so that nothing of its use is left in the database: no transaction, lock or setting.
    /// One that cannot be reset is thrown away. Fails nobody. Synchronously it returns a completed task.</summary>
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

    /// <summary>Takes back a connection that nobody has used since it was reset.</summary>
    public void Keep(DbConnection connection, bool isReset = true)
    {
        if (!isReset || connection.State != ConnectionState.Open || !_core.TryKeep(connection))
        {
            Discard(connection, isCounted: true);
        }
    }

    /// <summary>Closes what has been idle for too long, lets the first waiter open one when it has waited for long enough, and says when to look again;
    /// <see langword="null"/> when nothing is idle and nobody waits.</summary>
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

    /// <summary>What one was given who has gone, others get.</summary>
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
            // A waiter that was cancelled or failed has its answer; a thread that was interrupted has not, and may have been given something at this very
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
            // First of all: nobody else could ever open one.
            _core.EndTurn(wasOpened: false, exception.OfServer(cancellationToken));
            ProviderCalls.Quietly(() => connection?.Dispose());
            throw;
        }

        _core.EndTurn(wasOpened: true, failure: null);
        return connection;
    }

    /// <summary>Runs the reset statement; false when the connection can be given to nobody.</summary>
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
            // Whatever it was, nobody knows what state the session is in, or whether there is one.
            return false;
        }
    }

    /// <summary>Begins a transaction and rolls it back: a session that is inside one refuses the first, or ends the other by the second.
    /// What it costs is why only suspects are asked.</summary>
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
        // First: the server counts its session until then, and may refuse another one beside it.
        ProviderCalls.Quietly(connection.Dispose);

        // What ended the first attempt rarely ends the second.
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
