using System.Data;
using System.Data.Common;

namespace AdaptivePool.Admission;

/// <summary>A batch of a <see cref="GatedConnection"/>: the provider's own behind it. It counts as one statement.</summary>
internal sealed class GatedBatch : DbBatch, IProviderStatement
{
    private readonly DbBatch _inner;
    private readonly GatedStatement _statement;
    private bool _isDisposed;

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

    bool IProviderStatement.MayBegin => _inner.BatchCommands.Any(static command => command.CommandType != CommandType.Text || TransactionTextRule.MayBegin(command.CommandText));

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

    public override void Prepare() => Run(() =>
    {
        _inner.Prepare();
        return 0;
    });

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => RunAsync(
        async () =>
        {
            await _inner.PrepareAsync(cancellationToken).ConfigureAwait(false);
            return 0;
        },
        cancellationToken);

    public override int ExecuteNonQuery() => Run(_inner.ExecuteNonQuery);

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) => RunAsync(() => _inner.ExecuteNonQueryAsync(cancellationToken), cancellationToken);

    public override object? ExecuteScalar() => Run(_inner.ExecuteScalar);

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) => RunAsync(() => _inner.ExecuteScalarAsync(cancellationToken), cancellationToken);

    public override void Dispose()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            _statement.Dispose(_inner.Dispose);
        }

        base.Dispose();
    }

    void IProviderStatement.Cancel() => _inner.Cancel();

    protected override DbBatchCommand CreateDbBatchCommand() => _inner.CreateBatchCommand();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => Run(() => _inner.ExecuteReader(behavior & ~CommandBehavior.CloseConnection), behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        RunAsync(() => _inner.ExecuteReaderAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken), cancellationToken, behavior);

    private T Run<T>(Func<T> execute, CommandBehavior behavior = CommandBehavior.Default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _statement.Run(execute, behavior);
    }

    private Task<T> RunAsync<T>(Func<Task<T>> execute, CancellationToken cancellationToken, CommandBehavior behavior = CommandBehavior.Default) =>
        _isDisposed ? Task.FromException<T>(new ObjectDisposedException(nameof(GatedBatch))) : _statement.RunAsync(execute, isAsync: true, behavior, cancellationToken);
}
