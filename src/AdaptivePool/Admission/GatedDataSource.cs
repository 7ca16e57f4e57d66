using System.Data.Common;

namespace AdaptivePool.Admission;

/// <summary>
/// A data source behind a gate: each transaction of its connections enters the gate before it begins and leaves it with commit, rollback or dispose, also when the connection breaks or is closed. Opening a connection
/// opens the one behind it only when it is needed, after the gate: whoever waits holds no connection either.
/// </summary>
/// <remarks>
/// Statements outside a transaction pass freely, as do transactions that SQL text or System.Transactions begin. Waiting in a synchronous call holds the caller's thread; <see cref="DbConnection.BeginTransactionAsync(CancellationToken)"/>
/// holds none. After <see cref="TransactionGate.Cancel"/> the statement that runs is cancelled at the provider, and later statements and the commit of the transaction throw <see cref="OperationCanceledException"/>. A commit or
/// rollback that fails while the provider's transaction stays open keeps the permit until dispose or close. A transaction begun inside another of the same async flow, or inside an endpoint behind the same gate, takes no second permit.
/// </remarks>
public sealed class GatedDataSource : DbDataSource
{
    private readonly DbDataSource _inner;
    private readonly TransactionRequest _request;

    /// <summary>Puts a data source behind a gate.</summary>
    /// <param name="inner">The data source; stays the caller's to dispose.</param>
    /// <param name="gate">The gate; stays the caller's to dispose.</param>
    /// <param name="request">How its transactions ask to enter. Default: nameless, with normal priority.</param>
    /// <exception cref="ArgumentNullException"><paramref name="inner"/> or <paramref name="gate"/> is null.</exception>
    public GatedDataSource(DbDataSource inner, TransactionGate gate, TransactionRequest request = default)
    {
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentNullException.ThrowIfNull(gate);
        _inner = inner;
        Gate = gate;
        _request = request;
    }

    /// <summary>The gate.</summary>
    public TransactionGate Gate { get; }

    /// <inheritdoc/>
    public override string ConnectionString => _inner.ConnectionString;

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => new GatedConnection(_inner.CreateConnection(), Gate, _request);
}
