namespace AdaptivePool.Data;

/// <summary>
/// What commands and batches of a <see cref="GatedConnection"/> share: the provider's statement, which must see the provider's connection and transaction while
/// it runs, and must not see them once the connection is closed.
/// </summary>
/// <param name="connection">Its connection.</param>
/// <param name="transaction">Its transaction.</param>
/// <param name="inner">The provider's.</param>
internal sealed class GatedStatement(GatedConnection? connection, GatedTransaction? transaction, IProviderStatement inner)
{
    private GatedConnection? _connection = connection;
    private DbTransaction? _transaction = transaction;
    private SessionUse? _use;

    // Set until the provider has the statement. From then on, the provider cancels it.
    private CancellationTokenSource? _wait;
    private bool _isDisposed;
    private Action? _dispose;

    public DbConnection? Connection
    {
        get => IsOfSource ? throw NotOfSource() : _connection;
        set
        {
            ThrowIfOfSource();
            var gated = value is null or GatedConnection ? (GatedConnection?)value
                : throw new InvalidCastException("A statement of a gated connection takes gated connections only.");
            if (gated is not null && ReferenceEquals(gated, _connection))
            {
                // The provider's statement may have another connection, a kept one. The provider would refuse the change while a reader is open, or remove the
                // transaction.
                return;
            }

            bool hadTransaction = inner.Transaction is not null;
            inner.Connection = gated?.Own;
            _connection = gated;
            if (hadTransaction && inner.Transaction is null)
            {
                // Some providers remove the transaction with the connection.
                _transaction = null;
            }
        }
    }

    public DbTransaction? Transaction
    {
        get => IsOfSource ? throw NotOfSource() : _transaction;
        set
        {
            ThrowIfOfSource();
            if (value is GatedTransaction { Inner: null })
            {
                // Otherwise the statement would silently run outside a transaction.
                throw GatedTransaction.Over();
            }

            inner.Transaction = ProvidersOwn(value);
            _transaction = value;
        }
    }

    /// <summary>Whether the statement belongs to a data source, and has a connection of its own that is open while it runs.</summary>
    private bool IsOfSource => _connection?.IsOfStatement == true;

    /// <summary>Ends the statement that runs or waits at the gate, if one does.</summary>
    public void Cancel()
    {
        if (_wait is { } wait)
        {
            // The wait may be over by now.
            ProviderCalls.Quietly(wait.Cancel);
        }
        else if (_use is { } use)
        {
            CancelIn(use);
        }
    }

    /// <summary>Ends the statement if it runs in this use: it may have gone on to another connection.</summary>
    public void CancelIn(SessionUse use)
    {
        if (ReferenceEquals(_use, use) && use.TryEnter())
        {
            using var visit = new SessionUse.Visit(use);
            inner.Cancel();
        }
    }

    /// <summary>The use has ended while the statement ran in it: no caller needs its result any more. A provider that cannot cancel the statement ends it with
    /// its connection.</summary>
    public void Abort(SessionUse use)
    {
        if (ReferenceEquals(_use, use))
        {
            ProviderCalls.Quietly(inner.Cancel);
        }
    }

    public T Run<T>(Func<T> execute) =>
        RunAsync(_ => Task.FromResult(execute()), isAsync: false, closesConnection: false, CancellationToken.None).GetAwaiter().GetResult();

    public Task<T> RunAsync<T>(Func<CancellationToken, Task<T>> execute, CancellationToken cancellationToken) =>
        RunAsync(execute, isAsync: true, closesConnection: false, cancellationToken);

    public DbDataReader Read(Func<CommandBehavior, DbDataReader> execute, CommandBehavior behavior) =>
        RunAsync(
            _ => Task.FromResult(execute(ForProvider(behavior))), isAsync: false, ClosesConnection(behavior), CancellationToken.None).GetAwaiter().GetResult();

    public Task<DbDataReader> ReadAsync(
        Func<CommandBehavior, CancellationToken, Task<DbDataReader>> execute, CommandBehavior behavior, CancellationToken cancellationToken) =>
        RunAsync(token => execute(ForProvider(behavior), token), isAsync: true, ClosesConnection(behavior), cancellationToken);

    public void Prepare(Action prepare) =>
        PrepareAsync(_ => ProviderCalls.Done(prepare), isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    public Task PrepareAsync(Func<CancellationToken, Task> prepare, CancellationToken cancellationToken) =>
        PrepareAsync(prepare, isAsync: true, cancellationToken);

    /// <summary>Disposes the provider's statement. Some providers keep a disposed statement for the next one of the connection that it refers to, so that
    /// connection must not be one of the shelf.</summary>
    public void Dispose(Action dispose)
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (_use is { } use && use.TryEnter())
        {
            using var visit = new SessionUse.Visit(use);
            if (IsOfSource)
            {
                // The reader reads on, and the readers of some providers need their statement to the end. The statement ends with the connection.
                return;
            }

            if (use.Session is { IsKept: true } session && !TryLetGo(session))
            {
                // The statement has an open reader. It is disposed when the session ends.
                _dispose = dispose;
                return;
            }
        }

        dispose();
    }

    /// <summary>Lets go of a session that may soon be another user's.</summary>
    /// <returns>False when the provider refuses.</returns>
    public bool TryLetGo(ProviderSession session)
    {
        try
        {
            if (ReferenceEquals(inner.Connection, session.Connection))
            {
                inner.Transaction = null;
                inner.Connection = _connection?.Own;
            }

            if (ReferenceEquals(_use, session.Use))
            {
                // Otherwise the statement has gone on to another connection, whose session ends it.
                _use = null;
                _dispose?.Invoke();
                _dispose = null;
            }

            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    private static DbTransaction? ProvidersOwn(DbTransaction? transaction) => transaction is GatedTransaction gated ? gated.Inner : transaction;

    private static CommandBehavior ForProvider(CommandBehavior behavior) => behavior & ~CommandBehavior.CloseConnection;

    private static NotSupportedException NotOfSource() => new(
        "A command or batch of a data source has a connection of its own for each run: it cannot be prepared, and its connection and "
        + "transaction cannot be read or set.");

    private void ThrowIfOfSource()
    {
        if (IsOfSource)
        {
            throw NotOfSource();
        }
    }

    private Task PrepareAsync(Func<CancellationToken, Task> prepare, bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfOfSource();
        return RunAsync(
            async token =>
            {
                await prepare(token).ConfigureAwait(false);
                return 0;
            },
            isAsync,
            closesConnection: false,
            cancellationToken);
    }

    private bool ClosesConnection(CommandBehavior behavior) => IsOfSource || behavior.HasFlag(CommandBehavior.CloseConnection);

    /// <summary>Synchronously it returns a completed task.</summary>
    private async Task<T> RunAsync<T>(Func<CancellationToken, Task<T>> execute, bool isAsync, bool closesConnection, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, typeof(GatedStatement));
        GatedConnection connected = _connection ?? throw new InvalidOperationException("The command has no connection.");
        if (IsOfSource)
        {
            await connected.OpenAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        // If no reader closes the connection, because the statement fails, is refused at the gate or has no reader, it is closed here.
        bool staysOpen = !IsOfSource && !closesConnection;
        try
        {
            T result = await RunOnAsync(connected, execute, isAsync, closesConnection, cancellationToken).ConfigureAwait(false);
            staysOpen |= result is DbDataReader;
            return result;
        }
        finally
        {
            if (!staysOpen)
            {
                await connected.CloseAsync(isAsync).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Runs the statement, behind the gate where it counts, and hands out its rows in a reader that ends with the connection.
    /// Synchronously it returns a completed task.</summary>
    private async Task<T> RunOnAsync<T>(
        GatedConnection connected, Func<CancellationToken, Task<T>> execute, bool isAsync, bool closesConnection, CancellationToken cancellationToken)
    {
        SessionUse use = connected.Enter();
        GatePermit? own = null;
        GatedReader? rows = null;
        ProviderSession? session = null;
        CancellationTokenSource? wait = null;
        try
        {
            if (connected.Counts(use))
            {
                _wait = wait = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                own = PermitIn(use, await connected.CountAsync(use, isAsync, wait, cancellationToken).ConfigureAwait(false));
            }

            session = await connected.OpenSessionAsync(use, isAsync, cancellationToken).ConfigureAwait(false);
            Attach(session);
            session.Turn.BeginStatement(this)?.Permit.ThrowIfCancelled();
            own?.ThrowIfCancelled();
            _wait = null;
            if (wait is not null)
            {
                // The caller's own token first: it is the one that the caller knows.
                cancellationToken.ThrowIfCancellationRequested();
                wait.Token.ThrowIfCancellationRequested();
            }

            T result = await execute(cancellationToken).ConfigureAwait(false);
            if (result is not DbDataReader provided)
            {
                return result;
            }

            // The rows are still to come, and the permit goes back with the reader.
            DbDataReader reader = connected.Remember(session, provided, own, closesConnection);
            rows = reader as GatedReader;
            own = null;
            return (T)(object)reader;
        }
        catch
        {
            // The transaction has failed, unless it commits all the same.
            use.Session?.Turn.Transaction?.Permit.MarkFailed();
            own?.MarkFailed();
            throw;
        }
        finally
        {
            _wait = null;
            wait?.Dispose();
            try
            {
                if (own is not null)
                {
                    await own.SettleAsync(isAsync).ConfigureAwait(false);
                }
            }
            finally
            {
                // Also if the caller's thread is interrupted meanwhile.
                bool isClosed = use.Leave();
                own?.End(hasFailed: false);
                if (isClosed)
                {
                    // The call that closed the connection meanwhile may not have seen these rows, or may hang in the provider.
                    rows?.Permit?.End(hasFailed: true);
                    session?.EndPermits(hasFailed: false);
                }
            }
        }
    }

    // A method of its own, because a closure in the caller would cost memory even if no statement counts.
    private GatePermit PermitIn(SessionUse use, TransactionLease counted) => new(counted, () => CancelIn(use));

    private void Attach(ProviderSession session)
    {
        if (!ReferenceEquals(_use, session.Use))
        {
            session.Remember(this);
            _use = session.Use;
        }

        if (inner.MayBegin)
        {
            session.IsSuspect = true;
        }

        if (!ReferenceEquals(inner.Connection, session.Connection))
        {
            inner.Connection = session.Connection;
        }

        DbTransaction? own = ProvidersOwn(_transaction);
        if (_transaction is not null && !ReferenceEquals(inner.Transaction, own))
        {
            // Some providers remove the transaction with the connection, and the object of an ended transaction may be that of the next one.
            try
            {
                inner.Transaction = own;
            }
            catch (InvalidOperationException)
            {
                // SQL text has ended the transaction since it was set. That alone does not keep a provider from running the statement.
                inner.Transaction = null;
            }
        }
    }
}
