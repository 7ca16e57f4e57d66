using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>A gated source that keeps connections to a database of one test, with its gate.</summary>
internal sealed class KeptSource : IAsyncDisposable
{
    private readonly NpgsqlDataSource _inner;
    private readonly TransactionGate _gate;

    public KeptSource(
        PostgresDatabase database,
        int limit = 1,
        string settings = "",
        string reset = GatedDataSourceOptions.PostgreSqlReset,
        AutoCommitHandling autoCommit = AutoCommitHandling.Pass,
        TimeSpan? validateAfter = null,
        int? maxLimit = null)
    {
        var gate = new TransactionGateOptions { PermitLimit = limit, FlowsWithContext = false, Adaptive = maxLimit is not null };
        gate.MaxLimit = maxLimit ?? gate.MaxLimit;
        _gate = new TransactionGate(gate);
        _inner = NpgsqlDataSource.Create(database.ConnectionString + ";Pooling=false;" + settings);
        var options = new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = reset, AutoCommit = autoCommit };
        options.ValidateAfter = validateAfter ?? options.ValidateAfter;
        Source = new GatedDataSource(_inner, _gate, options);
    }

    public GatedDataSource Source { get; }

    public GateSnapshot Gate => _gate.GetSnapshot();

    public IReadOnlyList<TransactionLeaseInfo> Leases => _gate.GetLeases();

    public async ValueTask DisposeAsync()
    {
        await Source.DisposeAsync();
        await _inner.DisposeAsync();
        _gate.Dispose();
    }

    public static DbCommand Command(DbConnection connection, string sql, DbTransaction? transaction = null)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = sql;
        command.Transaction = transaction;
        return command;
    }

    public static async Task ExecuteAsync(DbConnection connection, string sql, DbTransaction? transaction = null)
    {
        await using DbCommand command = Command(connection, sql, transaction);
        await command.ExecuteNonQueryAsync();
    }

    public static async Task<object?> ScalarAsync(DbConnection connection, string sql)
    {
        await using DbCommand command = Command(connection, sql);
        return await command.ExecuteScalarAsync();
    }

    /// <summary>One statement on a connection of its own.</summary>
    public async Task<object?> UseAsync(string sql)
    {
        await using DbConnection connection = await Source.OpenConnectionAsync();
        return await ScalarAsync(connection, sql);
    }
}
