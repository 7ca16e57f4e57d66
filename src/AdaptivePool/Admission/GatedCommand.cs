using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Admission;

/// <summary>A command of a <see cref="GatedConnection"/>: the provider's own, which must see the provider's connection and transaction.</summary>
internal sealed class GatedCommand(GatedConnection connection, DbCommand inner) : DbCommand
{
    private GatedConnection? _connection = connection;
    private DbTransaction? _transaction;

    [AllowNull]
    public override string CommandText
    {
        get => inner.CommandText;
        set => inner.CommandText = value;
    }

    public override int CommandTimeout
    {
        get => inner.CommandTimeout;
        set => inner.CommandTimeout = value;
    }

    public override CommandType CommandType
    {
        get => inner.CommandType;
        set => inner.CommandType = value;
    }

    public override bool DesignTimeVisible
    {
        get => inner.DesignTimeVisible;
        set => inner.DesignTimeVisible = value;
    }

    public override UpdateRowSource UpdatedRowSource
    {
        get => inner.UpdatedRowSource;
        set => inner.UpdatedRowSource = value;
    }

    protected override DbConnection? DbConnection
    {
        get => _connection;
        set
        {
            _connection = value is null or GatedConnection ? (GatedConnection?)value : throw new ArgumentException("A command of a gated connection takes gated connections only.", nameof(value));

            // Before it runs, it gets the connection that is open by then.
            inner.Connection = _connection?.Inner;
        }
    }

    protected override DbTransaction? DbTransaction
    {
        get => _transaction;
        set
        {
            _transaction = value;
            inner.Transaction = value is GatedTransaction gated ? gated.Inner : value;
        }
    }

    protected override DbParameterCollection DbParameterCollection => inner.Parameters;

    public override void Cancel() => inner.Cancel();

    public override void Prepare() => Run(static inner =>
    {
        inner.Prepare();
        return 0;
    });

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => RunAsync(
        async inner =>
        {
            await inner.PrepareAsync(cancellationToken).ConfigureAwait(false);
            return 0;
        },
        isAsync: true,
        CommandBehavior.Default,
        cancellationToken);

    public override int ExecuteNonQuery() => Run(static inner => inner.ExecuteNonQuery());

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken) => RunAsync(inner => inner.ExecuteNonQueryAsync(cancellationToken), isAsync: true, CommandBehavior.Default, cancellationToken);

    public override object? ExecuteScalar() => Run(static inner => inner.ExecuteScalar());

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken) => RunAsync(inner => inner.ExecuteScalarAsync(cancellationToken), isAsync: true, CommandBehavior.Default, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await inner.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override DbParameter CreateDbParameter() => inner.CreateParameter();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => Run(inner => inner.ExecuteReader(behavior & ~CommandBehavior.CloseConnection), behavior);

    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        RunAsync(inner => inner.ExecuteReaderAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken), isAsync: true, behavior, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    private GatedConnection Connected => _connection ?? throw new InvalidOperationException("The command has no connection.");

    /// <summary>The synchronous form has done its work when the task is there: nothing is waited for.</summary>
    private T Run<T>(Func<DbCommand, T> execute, CommandBehavior behavior = CommandBehavior.Default) =>
        RunAsync(command => Task.FromResult(execute(command)), isAsync: false, behavior, CancellationToken.None).GetAwaiter().GetResult();

    private async Task<T> RunAsync<T>(Func<DbCommand, Task<T>> execute, bool isAsync, CommandBehavior behavior, CancellationToken cancellationToken)
    {
        GatedConnection connected = Connected;
        TransactionLease? own = connected.CountsStatement ? await connected.EnterForStatementAsync(isAsync, cancellationToken).ConfigureAwait(false) : null;
        T result;
        try
        {
            await connected.OpenInnerAsync(isAsync, cancellationToken).ConfigureAwait(false);
            if (!ReferenceEquals(inner.Connection, connected.Inner))
            {
                inner.Connection = connected.Inner;
                if (_transaction is not null)
                {
                    // Some providers take it away with the connection.
                    DbTransaction = _transaction;
                }
            }

            connected.BeginStatement(inner);
            result = await execute(inner).ConfigureAwait(false);
        }
        catch
        {
            connected.StatementFailed();
            if (own is not null)
            {
                own.HasFailed = true;
                own.Dispose();
            }

            throw;
        }

        if (result is DbDataReader reader)
        {
            // Its rows are still to come.
            return (T)(object)connected.Remember(reader, own, behavior.HasFlag(CommandBehavior.CloseConnection));
        }

        own?.Dispose();
        return result;
    }
}
