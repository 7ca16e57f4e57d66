using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// A data source behind a gate: each transaction of its connections enters the gate before it begins and leaves it with commit, rollback or dispose, also when
/// the connection breaks or is closed. Opening a connection opens the one behind it only when it is needed, after the gate: whoever waits holds no connection
/// either.
/// </summary>
/// <remarks>
/// Statements outside a transaction pass freely unless <see cref="GatedDataSourceOptions.AutoCommit"/> says otherwise;
/// transactions that SQL text or System.Transactions begin count as such statements. Waiting in a synchronous call holds the caller's thread;
/// <see cref="DbConnection.BeginTransactionAsync(CancellationToken)"/>
/// holds none. After <see cref="TransactionGate.Cancel"/> the statement that runs is cancelled at the provider, and later statements and the commit of the
/// transaction throw <see cref="OperationCanceledException"/>. A commit or rollback that fails while the provider's transaction stays open keeps the permit
/// until dispose or close.
/// A transaction begun inside another of the same async flow, or inside an endpoint behind the same gate, takes no second permit.
/// </remarks>
public sealed class GatedDataSource : DbDataSource
{
    private readonly DbDataSource _inner;
    private bool _isDisposed;

    /// <summary>Puts a data source behind a gate.</summary>
    /// <param name="inner">The data source; stays the caller's to dispose.</param>
    /// <param name="gate">The gate; stays the caller's to dispose.</param>
    /// <param name="request">How its transactions ask to enter. Default: nameless, with normal priority.</param>
    /// <exception cref="ArgumentNullException"><paramref name="inner"/> or <paramref name="gate"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The priority has no name; the message has those that there are.</exception>
    public GatedDataSource(DbDataSource inner, TransactionGate gate, TransactionRequest request = default)
        : this(inner, gate, new GatedDataSourceOptions { Request = request })
    {
    }

    /// <summary>Puts a data source behind a gate.</summary>
    /// <param name="inner">The data source; stays the caller's to dispose.</param>
    /// <param name="gate">The gate; stays the caller's to dispose.</param>
    /// <param name="options">Its settings; copied.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names option, value and range.</exception>
    public GatedDataSource(DbDataSource inner, TransactionGate gate, GatedDataSourceOptions options)
        : this(inner, gate, options, TimeProvider.System, isWatched: true)
    {
    }

    /// <summary>Creates a source on another clock; one that is not watched has no thread, and <see cref="LookAtConnections"/> is called by hand.</summary>
    internal GatedDataSource(DbDataSource inner, TransactionGate gate, GatedDataSourceOptions options, TimeProvider clock, bool isWatched)
    {
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentNullException.ThrowIfNull(gate);
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfInvalid();
        _inner = inner;
        Gate = gate;
        Options = options.Copy();
        Shelf = Options.KeepsConnections ? new ConnectionShelf(inner, Options, gate.Name, () => gate.PermitLimit, clock, isWatched) : null;
        Factory = new GatedProviderFactory(this, inner);
    }

    /// <summary>The gate.</summary>
    public TransactionGate Gate { get; }

    /// <inheritdoc/>
    public override string ConnectionString => _inner.ConnectionString;

    internal GatedDataSourceOptions Options { get; }

    /// <summary>Where its connections are kept; <see langword="null"/> where they are not.</summary>
    internal ConnectionShelf? Shelf { get; }

    internal GatedProviderFactory Factory { get; }

    /// <summary>The connections kept at this moment.</summary>
    public GatedDataSourceSnapshot GetSnapshot() => Shelf?.Snapshot ?? new GatedDataSourceSnapshot(0, 0, 0, 0, 0, 0);

    /// <summary>For who is about to open a connection.</summary>
    /// <exception cref="ObjectDisposedException">The source is disposed.</exception>
    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, typeof(GatedDataSource));

    internal TimeSpan? LookAtConnections() => Shelf?.Look();

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => Make(isOfStatement: false);

    /// <summary>A command that opens a connection of its own for each run and closes it afterwards: with its reader, where it has rows.</summary>
    /// <param name="commandText">Its text.</param>
    protected override DbCommand CreateDbCommand(string? commandText = null)
    {
        DbCommand command = Make(isOfStatement: true).CreateCommand();
        command.CommandText = commandText;
        return command;
    }

    /// <summary>A batch that opens a connection of its own for each run and closes it afterwards: with its reader, where it has rows.</summary>
    /// <exception cref="NotSupportedException">The provider has no batches.</exception>
    protected override DbBatch CreateDbBatch() => Make(isOfStatement: true).CreateBatch();

    private GatedConnection Make(bool isOfStatement)
    {
        GatedConnection connection = NamedConnections.Create(_inner.CreateConnection(), this);
        connection.IsOfStatement = isOfStatement;
        return connection;
    }

    /// <summary>No connection is opened any more, and those kept that are idle are closed. Those in use go on; where they are kept they are closed when they
    /// come back.</summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            End();
        }
    }

    /// <inheritdoc cref="Dispose(bool)"/>
    protected override ValueTask DisposeAsyncCore()
    {
        End();
        return default;
    }

    private void End()
    {
        _isDisposed = true;
        Shelf?.Dispose();
    }
}
