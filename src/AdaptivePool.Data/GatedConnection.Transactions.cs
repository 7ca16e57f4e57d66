using System.Data;
using System.Data.Common;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Data;

/// <remarks>Entering and leaving the gate.</remarks>
public partial class GatedConnection
{
    /// <summary>Whether a statement stands for itself, and has to count.</summary>
    internal bool CountsStatement => _options.AutoCommit == AutoCommitHandling.Count && OpenTransaction is null;

    private GatedTransaction? OpenTransaction => Use?.Session?.Turn.Transaction;

    /// <summary>The permit of a statement that stands for itself.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    /// <param name="isAsync">Whether to wait without a thread. Synchronously it returns a completed task.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task<TransactionLease> EnterGateAsync(SessionUse use, bool isAsync, CancellationToken cancellationToken) =>
        Accept(isAsync ? await AskGate(use, cancellationToken).ConfigureAwait(false) : WaitAtGate(use));

    /// <summary>A statement threw: unless its transaction commits all the same, it has failed.</summary>
    internal void StatementFailed() => OpenTransaction?.Permit.MarkFailed();

    /// <summary>A statement has rows to come, for which it holds its permit, or which must end with the connection.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    /// <param name="session">Its session.</param>
    /// <param name="inner">The provider's reader.</param>
    /// <param name="permit">That of a statement that stands for itself.</param>
    /// <param name="closesConnection">Whether the connection ends with the reader.</param>
    /// <returns>The reader for the user; the provider's own where that ends by itself.</returns>
    internal DbDataReader Remember(
        SessionUse use, ProviderSession session, DbDataReader inner, GatePermit? permit, bool closesConnection)
    {
        if (permit is null && !closesConnection && !session.IsKept)
        {
            return inner;
        }

        var reader = new GatedReader(this, use, session, inner, permit, closesConnection);
        session.Readers.Add(reader);
        return reader;
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        SessionUse use = Enter();
        TransactionLease? lease = null;
        GatedTransaction begun;
        try
        {
            lease = Accept(WaitAtGate(use));
            ProviderSession session = OpenSessionAsync(use, isAsync: false, CancellationToken.None).GetAwaiter().GetResult();
            begun = Begun(use, session, session.Connection.BeginTransaction(isolationLevel), lease);
        }
        catch
        {
            Fail(use, lease);
            throw;
        }

        return Leave(use, begun);
    }

    /// <inheritdoc/>
    protected override ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        // Not an async method: what it set would not flow to the caller.
        SessionUse? use = null;
        try
        {
            use = Enter();
            return BeginAsync(use, AskGate(use, cancellationToken), isolationLevel, cancellationToken);
        }
        catch (InvalidOperationException exception)
        {
            // A gate that is disposed refuses at once.
            use?.Leave();
            return ValueTask.FromException<DbTransaction>(exception);
        }
    }

    private async ValueTask<DbTransaction> BeginAsync(
        SessionUse use, ValueTask<RateLimitLease> asked, IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        TransactionLease? lease = null;
        GatedTransaction begun;
        try
        {
            lease = Accept(await asked.ConfigureAwait(false));
            ProviderSession session = await OpenSessionAsync(use, isAsync: true, cancellationToken).ConfigureAwait(false);
            begun = Begun(use, session, await session.Connection.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false), lease);
        }
        catch
        {
            Fail(use, lease);
            throw;
        }

        return Leave(use, begun);
    }

    /// <summary>Not an async method: what it sets flows to the caller. While a reader of the connection holds a permit, that one serves the connection:
    /// nobody who holds one waits for another.</summary>
    private ValueTask<RateLimitLease> AskGate(SessionUse use, CancellationToken cancellationToken) =>
        use.Session?.Readers.TryNest(_gate) is { } nested ? new ValueTask<RateLimitLease>(nested) : _gate.AcquireAsync(_options.Request, cancellationToken);

    /// <summary>As <see cref="AskGate"/>, with the calling thread.</summary>
    private RateLimitLease WaitAtGate(SessionUse use) => use.Session?.Readers.TryNest(_gate) ?? _gate.Acquire(_options.Request);

    private static void Fail(SessionUse use, TransactionLease? lease)
    {
        use.Leave();
        lease?.HasFailed = true;
        lease?.Dispose();
    }

    /// <summary>Hands out a transaction, unless its connection was closed while it began: then nobody else gives its permit back.</summary>
    private static GatedTransaction Leave(SessionUse use, GatedTransaction begun)
    {
        if (use.Leave())
        {
            begun.End();
            throw Closed();
        }

        return begun;
    }

    private TransactionLease Accept(RateLimitLease answer) => answer as TransactionLease ?? throw TransactionRefusedException.From(_gate, answer);

    private GatedTransaction Begun(SessionUse use, ProviderSession session, DbTransaction inner, TransactionLease lease)
    {
        if (session.IsKept && _shelf!.GivesTransactions is null)
        {
            using DbCommand command = session.Connection.CreateCommand();
            _shelf.GivesTransactions = command.Transaction is not null;
        }

        var transaction = new GatedTransaction(this, use, session, inner, lease);
        session.Turn.Begin(transaction);
        return transaction;
    }

    /// <summary>The transaction that the provider gives its new commands by itself.</summary>
    private GatedTransaction? GivenTransaction(DbTransaction? given) => given is not null || _shelf?.GivesTransactions == true ? OpenTransaction : null;
}
