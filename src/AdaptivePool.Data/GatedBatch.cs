namespace AdaptivePool.Data;

/// <summary>A batch of a <see cref="GatedConnection"/>: the provider's own behind it. It counts as one statement.</summary>
internal sealed class GatedBatch : DbBatch, IProviderStatement
{
    private readonly DbBatch _inner;
    private readonly GatedStatement _statement;

    public GatedBatch(GatedConnection? connection, GatedTransaction? transaction, DbBatch inner)
    {
        _inner = inner;
        _statement = new GatedStatement(connection, transaction, this);
    }

    public override int Timeout
    {
        get => _inner.Timeout;
        set => _inner.Timeout = value;
    }

    DbConnection? IProviderStatement.Connection
    {
        get => _inner.Connection;
        set => _inner.Connection = value;
    }

    DbTransaction? IProviderStatement.Transaction
    {
        get => _inner.Transaction;
        set => _inner.Transaction = value;
    }

    bool IProviderStatement.MayBegin =>
        _inner.BatchCommands.Any(static command => command.CommandType != CommandType.Text || TransactionTextRule.MayBegin(command.CommandText));

    protected override DbBatchCommandCollection DbBatchCommands => _inner.BatchCommands;

    protected override DbConnection? DbConnection
    {
        get => _statement.Connection;
        set => _statement.Connection = value;
    }

    protected override DbTransaction? DbTransaction
    {
        get => _statement.Transaction;
        set => _statement.Transaction = value;
    }

    public override void Cancel() => _statement.Cancel();

    public override void Prepare() => _statement.Prepare(_inner.Prepare);

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => _statement.PrepareAsync(_inner.PrepareAsync, cancellationToken);

    public override int ExecuteNonQuery() => _statement.Run(_inner.ExecuteNonQuery);

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) =>
        _statement.RunAsync(_inner.ExecuteNonQueryAsync, cancellationToken);

    public override object? ExecuteScalar() => _statement.Run(_inner.ExecuteScalar);

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) =>
        _statement.RunAsync(_inner.ExecuteScalarAsync, cancellationToken);

    public override void Dispose() => _statement.Dispose(_inner.Dispose);

    void IProviderStatement.Cancel() => _inner.Cancel();

    protected override DbBatchCommand CreateDbBatchCommand() => _inner.CreateBatchCommand();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => _statement.Read(_inner.ExecuteReader, behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        _statement.ReadAsync(_inner.ExecuteReaderAsync, behavior, cancellationToken);
}
