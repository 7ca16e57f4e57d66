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

    public override void Prepare()
    {
        Begin();
        inner.Prepare();
    }

    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        await BeginAsync(cancellationToken).ConfigureAwait(false);
        await inner.PrepareAsync(cancellationToken).ConfigureAwait(false);
    }

    public override int ExecuteNonQuery()
    {
        Begin();
        return inner.ExecuteNonQuery();
    }

    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        await BeginAsync(cancellationToken).ConfigureAwait(false);
        return await inner.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
    }

    public override object? ExecuteScalar()
    {
        Begin();
        return inner.ExecuteScalar();
    }

    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        await BeginAsync(cancellationToken).ConfigureAwait(false);
        return await inner.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
    }

    public override async ValueTask DisposeAsync()
    {
        await inner.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override DbParameter CreateDbParameter() => inner.CreateParameter();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        Begin();
        return inner.ExecuteReader(behavior);
    }

    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        await BeginAsync(cancellationToken).ConfigureAwait(false);
        return await inner.ExecuteReaderAsync(behavior, cancellationToken).ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    private GatedConnection Connected => _connection ?? throw new InvalidOperationException("The command has no connection.");

    private void Begin()
    {
        Connected.OpenInner();
        Connected.BeginStatement(inner);
    }

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        await Connected.OpenInnerAsync(cancellationToken).ConfigureAwait(false);
        Connected.BeginStatement(inner);
    }
}
