using System.Data;
using System.Data.Common;

namespace AdaptivePool.Tests.Data.Fakes;

/// <summary>Statements of a strict connection that run as one command.</summary>
internal sealed class FakeBatch(FakeCommand command) : DbBatch
{
    private readonly FakeBatchCommands _commands = new();

    public override int Timeout
    {
        get => command.CommandTimeout;
        set => command.CommandTimeout = value;
    }

    protected override DbBatchCommandCollection DbBatchCommands => _commands;

    protected override DbConnection? DbConnection
    {
        get => command.Connection;
        set => command.Connection = value;
    }

    protected override DbTransaction? DbTransaction
    {
        get => command.Transaction;
        set => command.Transaction = value;
    }

    public override void Cancel() => command.Cancel();

    public override void Prepare() => Filled().Prepare();

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => Filled().PrepareAsync(cancellationToken);

    public override int ExecuteNonQuery() => Filled().ExecuteNonQuery();

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) => Filled().ExecuteNonQueryAsync(cancellationToken);

    public override object? ExecuteScalar() => Filled().ExecuteScalar();

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) => Filled().ExecuteScalarAsync(cancellationToken);

    public override void Dispose() => command.Dispose();

    protected override DbBatchCommand CreateDbBatchCommand() => new FakeBatchCommand();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => Filled().ExecuteReader(behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        Filled().ExecuteReaderAsync(behavior, cancellationToken);

    private FakeCommand Filled()
    {
        command.CommandText = string.Join("; ", _commands.Select(static each => each.CommandText));
        return command;
    }
}
