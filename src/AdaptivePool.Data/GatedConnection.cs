using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Data;

/// <summary>
/// A connection of a <see cref="GatedDataSource"/>. Code that needs the provider's own type finds it in <see cref="Inner"/>; transactions that begin there do
/// not enter the gate. After the connection is closed, the objects that it created do not use the provider any more: transactions and readers throw as they do
/// with the provider, and disposing them has no effect. While a transaction waits to begin, another one that begins throws an
/// <see cref="InvalidOperationException"/>.
/// </summary>
public partial class GatedConnection : DbConnection
{
    private readonly GatedDataSource _source;

    // The present use, if the connection is open. Of several callers that open or close the connection at once, one does.
    private SessionUse? _use;

    // Belongs to the connection, not to a use: a use that was ended meanwhile may still open the provider's connection, and the next use would open it at the
    // same time.
    private TaskCompletionSource? _opening;

    // The session whose connection stayed open because the provider failed to close it. The next close or open of this connection closes it.
    private ProviderSession? _left;

    internal GatedConnection(DbConnection own, GatedDataSource source)
    {
        Own = own;
        _source = source;
    }

    /// <summary>
    /// The provider's connection, for features that only the provider has, such as COPY. If the gated connection is open, this property opens the provider's
    /// connection synchronously. Call <see cref="OpenInnerAsync"/> before, if that matters. If the source keeps connections, the property returns another
    /// connection from then on, until this one is closed. That connection is then closed and not kept, because code that holds it may continue to use it.
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

    /// <summary>The version of the server. Reading it opens the provider's connection.</summary>
    public override string ServerVersion => Inside(static connection => connection.ServerVersion);

    /// <summary>
    /// Open as soon as the connection was opened, although the provider's connection opens later; from then on, the state of the provider's connection.
    /// </summary>
    public override ConnectionState State => Use is not { } use ? ConnectionState.Closed : use.Session?.Connection.State ?? ConnectionState.Open;

    /// <summary>The provider's connection that belongs to this object. If connections are kept, it makes commands, and is opened only inside a
    /// TransactionScope.</summary>
    internal DbConnection Own { get; }

    /// <summary>Whether the connection belongs to a command or batch of the source. Then it is open while that runs and while its rows are read.</summary>
    internal bool IsOfStatement { get; set; }

    /// <summary>The provider's connection that serves this one now. Does not open one.</summary>
    internal DbConnection Provider => Use?.Session?.Connection ?? Own;

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => _source.Factory;

    /// <summary>
    /// Makes the connection usable. The first statement or transaction opens the provider's connection. If opening fails, that statement or transaction fails.
    /// </summary>
    /// <exception cref="InvalidOperationException">The connection is already open.</exception>
    /// <exception cref="ObjectDisposedException">The data source is disposed.</exception>
    public override void Open()
    {
        // Checks the state: a connection that broke may be opened again.
        if (State != ConnectionState.Closed)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        _source.ThrowIfDisposed();

        EndUseAsync(isAsync: false).GetAwaiter().GetResult();
        if (SessionUse.TryOpen(ref _use))
        {
            OnStateChange(new StateChangeEventArgs(ConnectionState.Closed, ConnectionState.Open));
        }
    }

    /// <inheritdoc cref="Open"/>
    /// <param name="cancellationToken">A token that is checked before anything is done.</param>
    public override Task OpenAsync(CancellationToken cancellationToken) => base.OpenAsync(cancellationToken);

    /// <summary>Opens the provider's connection, which otherwise the first statement or transaction does, so that <see cref="Inner"/> is open.</summary>
    /// <param name="cancellationToken">A token that cancels the wait for a kept connection, and the opening.</param>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    public async Task OpenInnerAsync(CancellationToken cancellationToken = default)
    {
        SessionUse use = Enter();
        using var visit = new SessionUse.Visit(use);
        await OpenSessionAsync(use, isAsync: true, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the connection. A transaction that has not ended is rolled back, its permit is returned, and its readers are closed.</summary>
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
    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
        Inner.EnlistTransaction(transaction);
        Use?.Session?.Enlist(transaction);
    }

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

        // Not this type's own method, which would close the connection once more.
        base.Dispose(disposing: true);
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
