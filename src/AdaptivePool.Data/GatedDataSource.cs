namespace AdaptivePool.Data;

/// <summary>
/// A data source behind a gate. Each transaction of its connections enters the gate before it begins. It leaves the gate with commit, rollback or dispose, and
/// also when the connection breaks or is closed. Opening a connection does not open the provider's connection: that happens only when it is needed, after the
/// gate. So a caller that waits at the gate holds no provider connection.
/// </summary>
/// <remarks>
/// Statements outside a transaction do not enter the gate unless <see cref="GatedDataSourceOptions.AutoCommit"/> says otherwise. The statements of a
/// transaction that SQL text has begun count as such statements, what runs or begins inside a transaction of System.Transactions never enters the gate.
/// A wait in a synchronous call holds the caller's thread; <see cref="DbConnection.BeginTransactionAsync(CancellationToken)"/> holds no thread.
/// After <see cref="TransactionGate.Cancel"/> the running statement is cancelled at the provider, and later statements and the commit of the transaction
/// throw <see cref="OperationCanceledException"/>. If a commit or rollback fails while the provider's transaction stays open, the permit is
/// kept until dispose or close. A transaction that begins inside another one of the same async flow, or inside an
/// endpoint behind the same gate, takes no second permit.
/// </remarks>
public sealed class GatedDataSource : DbDataSource
{
    private readonly DbDataSource _inner;
    private bool _isDisposed;

    /// <summary>Puts a data source behind a gate.</summary>
    /// <param name="inner">The data source. The caller must dispose it.</param>
    /// <param name="gate">The gate. The caller must dispose it.</param>
    /// <param name="request">The request with which its transactions enter the gate. Default: no name, normal priority.</param>
    /// <exception cref="ArgumentNullException"><paramref name="inner"/> or <paramref name="gate"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The priority is not a defined value. The message lists the defined values.</exception>
    public GatedDataSource(DbDataSource inner, TransactionGate gate, TransactionRequest request = default)
        : this(inner, gate, new GatedDataSourceOptions { Request = request })
    {
    }

    /// <summary>Puts a data source behind a gate.</summary>
    /// <param name="inner">The data source. The caller must dispose it.</param>
    /// <param name="gate">The gate. The caller must dispose it.</param>
    /// <param name="options">The settings of the data source. It copies them.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range. The message names the option, its value and the range.</exception>
    public GatedDataSource(DbDataSource inner, TransactionGate gate, GatedDataSourceOptions options)
        : this(inner, gate, options, clock: null)
    {
    }

    /// <summary>Creates a source, perhaps on another clock; then it has no thread, and <see cref="ConnectionShelf.Look"/> is called by hand.</summary>
    internal GatedDataSource(DbDataSource inner, TransactionGate gate, GatedDataSourceOptions options, TimeProvider? clock)
    {
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentNullException.ThrowIfNull(gate);
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfInvalid();
        _inner = inner;
        Gate = gate;
        Options = options.Copy();
        Shelf = Options.KeepsConnections ? new ConnectionShelf(inner, Options, gate.Name, () => gate.PermitLimit, clock) : null;
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

    /// <summary>Gets the numbers of connections that the data source keeps at this moment.</summary>
    public GatedDataSourceSnapshot GetSnapshot() => Shelf?.Snapshot ?? new GatedDataSourceSnapshot(0, 0, 0, 0, 0, 0);

    /// <summary>Called before a connection is opened.</summary>
    /// <exception cref="ObjectDisposedException">The source is disposed.</exception>
    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, typeof(GatedDataSource));

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => Make(isOfStatement: false);

    /// <summary>
    /// Creates a command that opens its own connection for each run, and closes it afterwards. If the command returns rows, the connection closes with the
    /// reader.
    /// </summary>
    /// <param name="commandText">The text of the command.</param>
    protected override DbCommand CreateDbCommand(string? commandText = null)
    {
        DbCommand command = Make(isOfStatement: true).CreateCommand();
        command.CommandText = commandText;
        return command;
    }

    /// <summary>
    /// Creates a batch that opens its own connection for each run, and closes it afterwards. If the batch returns rows, the connection closes with the reader.
    /// </summary>
    /// <exception cref="NotSupportedException">The provider does not support batches.</exception>
    protected override DbBatch CreateDbBatch() => Make(isOfStatement: true).CreateBatch();

    private GatedConnection Make(bool isOfStatement)
    {
        GatedConnection connection = NamedConnections.Create(_inner.CreateConnection(), this);
        connection.IsOfStatement = isOfStatement;
        return connection;
    }

    /// <summary>
    /// Prevents the opening of further connections, and closes the idle connections that the source keeps. Connections in use stay usable; a source that keeps
    /// connections closes them when they are returned.
    /// </summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _isDisposed = true;
            Shelf?.Dispose();
        }
    }

    /// <inheritdoc cref="Dispose(bool)"/>
    protected override ValueTask DisposeAsyncCore()
    {
        Dispose(disposing: true);
        return default;
    }
}
