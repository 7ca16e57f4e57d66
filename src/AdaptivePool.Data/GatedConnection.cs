using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>
/// A connection of a <see cref="GatedDataSource"/>. Code that needs the provider's own type finds it in <see cref="Inner"/>;
/// transactions begun there pass no gate. Once it is closed, nothing that it made touches the provider any more:
/// transactions and readers throw as they do with the provider, and disposing them does nothing.
/// </summary>
public partial class GatedConnection : DbConnection
{
    private readonly GatedDataSource _source;
    private readonly UseSlot<RealSync, ProviderSession> _slot = new();

    internal GatedConnection(DbConnection own, GatedDataSource source)
    {
        Own = own;
        _source = source;
    }

    /// <summary>
    /// The provider's connection, for what only that can do, such as COPY. Where the gated connection is open it is opened by this, synchronously:
    /// call <see cref="OpenInnerAsync"/> before, where that matters. Where the source keeps
    /// connections it is another one from then on until this one is closed, and is then closed instead of kept: whoever has it may go on using it.
    /// </summary>
    public DbConnection Inner => State != ConnectionState.Open ? Provider
        : InsideAsync(Task.FromResult, isAsync: false, CancellationToken.None, isDirty: true).GetAwaiter().GetResult();

    /// <inheritdoc/>
    [AllowNull]
    public override string ConnectionString
    {
        get => Own.ConnectionString;
        set =>
            Own.ConnectionString = _source.Shelf is null ? value
                : throw new InvalidOperationException("The connections of this source are kept: they cannot have another connection string.");
    }

    /// <inheritdoc/>
    public override string Database => Provider.Database;

    /// <inheritdoc/>
    public override string DataSource => Provider.DataSource;

    /// <inheritdoc/>
    public override int ConnectionTimeout => Own.ConnectionTimeout;

    /// <inheritdoc/>
    public override bool CanCreateBatch => Own.CanCreateBatch;

    /// <summary>Version of the server; opens the provider's connection.</summary>
    public override string ServerVersion => Inside(static connection => connection.ServerVersion);

    /// <summary>Open as soon as it was asked for, although the provider's connection is opened later; from then on, the state of that.</summary>
    public override ConnectionState State => Use is not { } use ? ConnectionState.Closed : use.Session?.Connection.State ?? ConnectionState.Open;

    /// <summary>The one that is this object's. Where connections are kept, it makes commands, and is opened inside a TransactionScope only.</summary>
    internal DbConnection Own { get; }

    /// <summary>Whether it is that of a command or batch of the source, open while that runs and while its rows are read.</summary>
    internal bool IsOfStatement { get; set; }

    /// <summary>The one that serves it now, without opening one.</summary>
    internal DbConnection Provider => Use?.Session?.Connection ?? Own;

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => _source.Factory;

    /// <summary>Makes the connection usable. The provider's connection is opened by the first statement or transaction;
    /// if that fails, it fails there.</summary>
    /// <exception cref="InvalidOperationException">The connection is open.</exception>
    /// <exception cref="ObjectDisposedException">The data source is disposed.</exception>
    public override void Open()
    {
        // By the state: one that broke may be opened again.
        if (State != ConnectionState.Closed)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        _source.ThrowIfDisposed();

        EndUseAsync(isAsync: false).GetAwaiter().GetResult();
        if (_slot.TryOpen())
        {
            OnStateChange(new StateChangeEventArgs(ConnectionState.Closed, ConnectionState.Open));
        }
    }

    /// <inheritdoc cref="Open"/>
    /// <param name="cancellationToken">Heeded before anything is done.</param>
    public override Task OpenAsync(CancellationToken cancellationToken) => base.OpenAsync(cancellationToken);

    /// <summary>Opens the provider's connection, which the first statement or transaction does otherwise, so that <see cref="Inner"/> is open.</summary>
    /// <param name="cancellationToken">Ends the wait for a connection that is kept, and the opening.</param>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    public async Task OpenInnerAsync(CancellationToken cancellationToken = default)
    {
        SessionUse use = Enter();
        using var visit = new SessionUse.Visit(use);
        await OpenSessionAsync(use, isAsync: true, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the connection. A transaction that has not ended is rolled back, its permit goes back, and its readers are closed.</summary>
    public override void Close() => ShutAsync(isAsync: false, isDisposed: false).GetAwaiter().GetResult();

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync() => ShutAsync(isAsync: true, isDisposed: false);

    /// <inheritdoc/>
    public override void ChangeDatabase(string databaseName) => Inner.ChangeDatabase(databaseName);

    /// <inheritdoc/>
    public override async Task ChangeDatabaseAsync(string databaseName, CancellationToken cancellationToken = default)
    {
        DbConnection changed = await InsideAsync(Task.FromResult, isAsync: true, cancellationToken, isDirty: true).ConfigureAwait(false);
        await changed.ChangeDatabaseAsync(databaseName, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction) => Inner.EnlistTransaction(transaction);

    /// <inheritdoc/>
    public override DataTable GetSchema() => Inside(static connection => connection.GetSchema());

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName) => Inside(connection => connection.GetSchema(collectionName));

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues) =>
        Inside(connection => connection.GetSchema(collectionName, restrictionValues));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default) =>
        InsideAsync(connection => connection.GetSchemaAsync(cancellationToken), isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default) =>
        InsideAsync(connection => connection.GetSchemaAsync(collectionName, cancellationToken), isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default) =>
        InsideAsync(connection => connection.GetSchemaAsync(collectionName, restrictionValues, cancellationToken), isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await ShutAsync(isAsync: true, isDisposed: true).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand()
    {
        DbCommand inner = Own.CreateCommand();
        return new GatedCommand(this, GivenTransaction(inner.Transaction), inner);
    }

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch()
    {
        DbBatch inner = Own.CreateBatch();
        return new GatedBatch(this, GivenTransaction(inner.Transaction), inner);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ShutAsync(isAsync: false, isDisposed: true).GetAwaiter().GetResult();
        }

        base.Dispose(disposing);
    }
}
