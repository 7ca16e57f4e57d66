using System.Threading.RateLimiting;

namespace AdaptivePool.Data;

/// <remarks>How transactions and statements enter and leave the gate.</remarks>
public partial class GatedConnection
{
    private GatedTransaction? OpenTransaction => Use?.Session?.Turn.Transaction;

    /// <summary>Whether a statement stands for itself and has to count. A statement inside a transaction of System.Transactions passes, even if its connection
    /// takes no part: it would wait at the gate while that transaction holds locks.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    internal bool Counts(SessionUse use) => _source.Options.AutoCommit == AutoCommitHandling.Count && OpenTransaction is null && AsksGate(use);

    /// <summary>The place in the gate of a statement that counts.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    /// <param name="isAsync">Whether to wait without a thread. Synchronously it returns a completed task.</param>
    /// <param name="wait">Ends the wait.</param>
    /// <param name="cancellationToken">The caller's token, which is linked to <paramref name="wait"/>.</param>
    internal async ValueTask<TransactionLease> CountAsync(
        SessionUse use, bool isAsync, CancellationTokenSource wait, CancellationToken cancellationToken)
    {
        try
        {
            return Accept(await AskGate(use, isAsync, wait.Token).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The exception has the token that the caller knows.
            throw new OperationCanceledException(cancellationToken);
        }
    }

    /// <summary>Wraps the reader of a statement that holds its permit for its rows, or whose rows must end with the connection.</summary>
    /// <param name="session">The session of the statement. The caller is inside its use.</param>
    /// <param name="inner">The provider's reader.</param>
    /// <param name="permit">The permit of a statement that stands for itself.</param>
    /// <param name="closesConnection">Whether the connection ends with the reader.</param>
    /// <returns>The reader for the user; the provider's own where that ends by itself.</returns>
    internal DbDataReader Remember(ProviderSession session, DbDataReader inner, GatePermit? permit, bool closesConnection)
    {
        if (permit is null && !closesConnection && !session.IsKept)
        {
            return inner;
        }

        var reader = new GatedReader(this, session, inner, permit, closesConnection);
        session.Add(reader);
        return reader;
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The connection is closed, or another transaction is about to begin on it.</exception>
    /// <exception cref="TransactionRefusedException">The gate refuses.</exception>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) =>
        Begin(isolationLevel, isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc cref="BeginDbTransaction"/>
    /// <param name="isolationLevel">The isolation level.</param>
    /// <param name="cancellationToken">A token that cancels the wait at the gate, the opening of the provider's connection, and the begin.</param>
    protected override ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken) =>
        Begin(isolationLevel, isAsync: true, cancellationToken);

    /// <summary>Not an async method: the place in the gate flows to the caller. The task fails where the connection or the gate is closed.</summary>
    private ValueTask<DbTransaction> Begin(IsolationLevel isolationLevel, bool isAsync, CancellationToken cancellationToken)
    {
        SessionUse? use = null;
        bool isOnly = false;
        try
        {
            use = Enter();
            isOnly = use.TryEnterBegin();
            if (!isOnly)
            {
                // It would wait for the permit that the first one gets.
                throw new InvalidOperationException("Another transaction is about to begin on this connection.");
            }

            ValueTask<RateLimitLease>? asked = AsksGate(use) ? AskGate(use, isAsync, cancellationToken) : null;
            return BeginAsync(use, asked, isolationLevel, isAsync, cancellationToken);
        }
        catch (Exception exception)
        {
            // The gate refused at once, or the thread was interrupted while it waited.
            if (isOnly)
            {
                use!.LeaveBegin();
            }

            use?.Leave();
            return ValueTask.FromException<DbTransaction>(exception);
        }
    }

    /// <summary>Synchronously it returns a completed task.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    /// <param name="asked">The gate's answer; <see langword="null"/> where it was not asked.</param>
    /// <param name="isolationLevel">The isolation level.</param>
    /// <param name="isAsync">Whether the provider is called asynchronously.</param>
    /// <param name="cancellationToken">Ends the opening and the beginning.</param>
    private async ValueTask<DbTransaction> BeginAsync(
        SessionUse use, ValueTask<RateLimitLease>? asked, IsolationLevel isolationLevel, bool isAsync, CancellationToken cancellationToken)
    {
        TransactionLease? lease = null;
        ProviderSession? session = null;
        GatedTransaction begun;
        try
        {
            lease = asked is { } answer ? Accept(await answer.ConfigureAwait(false)) : null;
            session = await OpenSessionAsync(use, isAsync, cancellationToken).ConfigureAwait(false);
            DbTransaction inner = await session.Connection.BeginTransactionAsync(isolationLevel, isAsync, cancellationToken).ConfigureAwait(false);
            if (session.IsKept && _source.Shelf!.GivesTransactions is null)
            {
                using DbCommand command = session.Connection.CreateCommand();
                _source.Shelf.GivesTransactions = command.Transaction is not null;
            }

            // A provider begins no transaction inside an open one. So one that is still here has ended, by SQL text or with a commit that failed, and has not
            // been disposed. Its end does not wait for a cancellation that runs: the new transaction shares its permit, and is cancelled with it.
            session.Turn.Transaction?.End();
            begun = new GatedTransaction(this, session, inner, lease);
            session.Turn.Begin(begun);
        }
        catch
        {
            // A begin that was cancelled, or took too long, may have succeeded on the server.
            session?.IsSuspect = true;
            use.Leave();
            lease?.HasFailed = true;
            lease?.Dispose();
            throw;
        }
        finally
        {
            use.LeaveBegin();
        }

        if (use.Leave())
        {
            // The connection was closed while the transaction began: no other code gives its permit back.
            begun.End();
            throw Closed();
        }

        return begun;
    }

    /// <summary>Not an async method: what it sets flows to the caller. While the transaction or a reader of the connection holds a permit, that permit serves
    /// the connection: a caller that holds one does not wait for another. A second transaction gets the provider's answer at once.</summary>
    private ValueTask<RateLimitLease> AskGate(SessionUse use, bool isAsync, CancellationToken cancellationToken)
    {
        TransactionGate gate = _source.Gate;
        if (use.Session?.TryNest(gate) is { } nested)
        {
            return new(nested);
        }

        TransactionRequest request = _source.Options.Request;
        return isAsync ? gate.AcquireAsync(request, cancellationToken) : new(gate.Acquire(request, cancellationToken));
    }

    /// <summary>On a connection that has broken the provider throws, which needs no permit.</summary>
    private static bool AsksGate(SessionUse use) => use.Session is not { IsBroken: true } and not { IsEnlisted: true } && !IsInScope(out _);

    /// <summary>Whether the caller is inside a transaction of System.Transactions. That transaction may hold locks on another connection, even if this
    /// connection was used before and takes no part.</summary>
    /// <param name="transaction">That transaction; <see langword="null"/> if its scope has been completed and not disposed yet: then it keeps its locks, and no
    /// connection can join it any more.</param>
    private static bool IsInScope(out System.Transactions.Transaction? transaction)
    {
        transaction = null;
        try
        {
            transaction = System.Transactions.Transaction.Current;
            return transaction is not null;
        }
        catch (InvalidOperationException)
        {
            // The provider decides whether a statement may still run there.
            return true;
        }
    }

    private TransactionLease Accept(RateLimitLease answer) => answer as TransactionLease ?? throw TransactionRefusedException.From(_source.Gate, answer);

    /// <summary>The transaction that the provider gives its new commands by itself.</summary>
    private GatedTransaction? GivenTransaction(DbTransaction? given) =>
        given is not null || _source.Shelf?.GivesTransactions == true ? OpenTransaction : null;
}
