using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Data;

/// <summary>A command of a <see cref="GatedConnection"/>: the provider's own behind it.</summary>
internal sealed class GatedCommand : DbCommand, IProviderStatement
{
    private readonly DbCommand _inner;
    private readonly GatedStatement _statement;

    public GatedCommand(GatedConnection? connection, GatedTransaction? transaction, DbCommand inner)
    {
        _inner = inner;
        _statement = new GatedStatement(connection, transaction, this);
    }

    [AllowNull]
    public override string CommandText
    {
        get => _inner.CommandText;
        set => _inner.CommandText = value;
    }

    public override int CommandTimeout
    {
        get => _inner.CommandTimeout;
        set => _inner.CommandTimeout = value;
    }

    public override CommandType CommandType
    {
        get => _inner.CommandType;
        set => _inner.CommandType = value;
    }

    public override bool DesignTimeVisible
    {
        get => _inner.DesignTimeVisible;
        set => _inner.DesignTimeVisible = value;
    }

    public override UpdateRowSource UpdatedRowSource
    {
        get => _inner.UpdatedRowSource;
        set => _inner.UpdatedRowSource = value;
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

    bool IProviderStatement.MayBegin => _inner.CommandType != CommandType.Text || TransactionTextRule.MayBegin(_inner.CommandText);

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

    protected override DbParameterCollection DbParameterCollection => _inner.Parameters;

    public override void Cancel() => _statement.Cancel();

    public override void Prepare() => _statement.Prepare(_inner.Prepare);

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => _statement.PrepareAsync(_inner.PrepareAsync, cancellationToken);

    public override int ExecuteNonQuery() => _statement.Run(_inner.ExecuteNonQuery);

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken) => _statement.RunAsync(_inner.ExecuteNonQueryAsync, cancellationToken);

    public override object? ExecuteScalar() => _statement.Run(_inner.ExecuteScalar);

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken) => _statement.RunAsync(_inner.ExecuteScalarAsync, cancellationToken);

    void IProviderStatement.Cancel() => _inner.Cancel();

    protected override DbParameter CreateDbParameter() => _inner.CreateParameter();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => _statement.Read(_inner.ExecuteReader, behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        _statement.ReadAsync(_inner.ExecuteReaderAsync, behavior, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _statement.Dispose(_inner.Dispose);
        }

        base.Dispose(disposing);
    }
}
