using System.Data;
using System.Data.Common;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// What commands and batches of a <see cref="GatedConnection"/> share: the provider's statement, which must see the provider's connection and transaction while it runs, and must not see them once the connection is closed.
/// </summary>
internal sealed class GatedStatement(GatedConnection? connection, GatedTransaction? transaction, IProviderStatement inner)
{
    private GatedConnection? _connection = connection;
    private DbTransaction? _transaction = transaction;
    private ConnectionUse<RealSync, ProviderSession>? _use;
    private Action? _dispose;

    public DbConnection? Connection
    {
        get => _connection;
        set
        {
            var gated = value is null or GatedConnection ? (GatedConnection?)value : throw new InvalidCastException("A statement of a gated connection takes gated connections only.");
            bool hadTransaction = inner.Transaction is not null;
            inner.Connection = gated?.Own;
            _connection = gated;
            if (hadTransaction && inner.Transaction is null)
            {
                // Some providers take it away with the connection.
                _transaction = null;
            }
        }
    }

    public DbTransaction? Transaction
    {
        get => _transaction;
        set
        {
            inner.Transaction = ProvidersOwn(value);
            _transaction = value;
        }
    }

    /// <summary>Ends the statement that runs, if one does.</summary>
    public void Cancel()
    {
        if (_use is { } use && use.TryEnter())
        {
            try
            {
                inner.Cancel();
            }
            finally
            {
                use.Leave();
            }
        }
    }

    /// <summary>The use has ended while the statement ran: what it is doing is for nobody any more. A provider that cannot cancel it ends it with its connection.</summary>
    public void Abort()
    {
        try
        {
            inner.Cancel();
        }
        catch (Exception)
        {
            // It had ended, or the connection is broken.
        }
    }

    /// <summary>The synchronous form has done its work when the task is there: nothing is waited for.</summary>
    public T Run<T>(Func<T> execute, CommandBehavior behavior = CommandBehavior.Default) =>
        RunAsync(() => Task.FromResult(execute()), isAsync: false, behavior, CancellationToken.None).GetAwaiter().GetResult();

    /// <summary>Runs the statement, behind the gate where it counts, and hands out its rows in a reader that ends with the connection.</summary>
    public async Task<T> RunAsync<T>(Func<Task<T>> execute, bool isAsync, CommandBehavior behavior, CancellationToken cancellationToken)
    {
        GatedConnection connected = _connection ?? throw new InvalidOperationException("The command has no connection.");
        ConnectionUse<RealSync, ProviderSession> use = connected.Enter();
        TransactionLease? own = null;
        GatedReader? rows = null;
        try
        {
            own = connected.CountsStatement ? await connected.EnterGateAsync(isAsync, cancellationToken).ConfigureAwait(false) : null;
            ProviderSession session = await connected.OpenSessionAsync(use, isAsync, cancellationToken).ConfigureAwait(false);
            Attach(use, session);
            session.Turn.BeginStatement(this)?.ThrowIfCancelled();
            T result = await execute().ConfigureAwait(false);
            if (result is not DbDataReader provided)
            {
                return result;
            }

            // Its rows are still to come, and its permit goes back with it.
            DbDataReader reader = connected.Remember(use, session, provided, own, behavior.HasFlag(CommandBehavior.CloseConnection));
            rows = reader as GatedReader;
            own = null;
            return (T)(object)reader;
        }
        catch
        {
            connected.StatementFailed();
            own?.HasFailed = true;
            throw;
        }
        finally
        {
            bool isClosed = use.Leave();
            own?.Dispose();
            if (isClosed)
            {
                // Who closed the connection meanwhile may not have seen it.
                rows?.EndLease(hasFailed: true);
            }
        }
    }

    /// <summary>Disposes the provider's statement, which some providers then keep for the next one of the connection that it refers to: so that must not be one of the shelf.</summary>
    public void Dispose(Action dispose)
    {
        if (_use is { } use && use.TryEnter())
        {
            try
            {
                if (use.Session is { IsKept: true } session && !TryLetGo(session))
                {
                    // It has an open reader: when the session ends it goes.
                    _dispose = dispose;
                    return;
                }
            }
            finally
            {
                use.Leave();
            }
        }

        dispose();
    }

    /// <summary>Turns away from a session that is another user's soon.</summary>
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

            _use = null;
            _dispose?.Invoke();
            _dispose = null;
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    private static DbTransaction? ProvidersOwn(DbTransaction? transaction) => transaction is GatedTransaction gated ? gated.Inner : transaction;

    private void Attach(ConnectionUse<RealSync, ProviderSession> use, ProviderSession session)
    {
        if (!ReferenceEquals(_use, use))
        {
            session.Remember(this);
            _use = use;
        }

        if (inner.MayBegin)
        {
            session.MarkSuspect();
        }

        if (!ReferenceEquals(inner.Connection, session.Connection))
        {
            inner.Connection = session.Connection;
        }

        DbTransaction? own = ProvidersOwn(_transaction);
        if (_transaction is not null && !ReferenceEquals(inner.Transaction, own))
        {
            // Some providers take it away with the connection, and one that has ended may be the next one's object.
            inner.Transaction = own;
        }
    }
}
