using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Admission;

/// <summary>
/// A connection of a <see cref="GatedDataSource"/>. Code that needs the provider's own type finds it in <see cref="Inner"/>; transactions begun there pass no gate.
/// </summary>
public sealed partial class GatedConnection : DbConnection
{
    private readonly TransactionGate _gate;
    private readonly TransactionRequest _request;
    private bool _isOpen;
    private bool _wasOpened;

    internal GatedConnection(DbConnection inner, TransactionGate gate, in TransactionRequest request)
    {
        Inner = inner;
        _gate = gate;
        _request = request;
        inner.StateChange += OnInnerStateChange;
    }

    /// <summary>The provider's connection; closed until the first statement or transaction.</summary>
    public DbConnection Inner { get; }

    /// <inheritdoc/>
    [AllowNull]
    public override string ConnectionString
    {
        get => Inner.ConnectionString;
        set => Inner.ConnectionString = value;
    }

    /// <inheritdoc/>
    public override string Database => Inner.Database;

    /// <inheritdoc/>
    public override string DataSource => Inner.DataSource;

    /// <inheritdoc/>
    public override int ConnectionTimeout => Inner.ConnectionTimeout;

    /// <summary>Version of the server; opens the provider's connection.</summary>
    public override string ServerVersion
    {
        get
        {
            OpenInner();
            return Inner.ServerVersion;
        }
    }

    /// <summary>Open as soon as it was asked for, although the provider's connection is opened later; from then on, the state of that.</summary>
    public override ConnectionState State => !_isOpen ? ConnectionState.Closed : _wasOpened ? Inner.State : ConnectionState.Open;

    /// <summary>Makes the connection usable. The provider's connection is opened by the first statement or transaction; if that fails, it fails there.</summary>
    /// <exception cref="InvalidOperationException">The connection is open.</exception>
    public override void Open()
    {
        // By the state: one that broke may be opened again.
        if (State != ConnectionState.Closed)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        _isOpen = true;
        _wasOpened = false;
        OnStateChange(new StateChangeEventArgs(ConnectionState.Closed, ConnectionState.Open));
    }

    /// <inheritdoc cref="Open"/>
    /// <param name="cancellationToken">Heeded before anything is done.</param>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        try
        {
            Open();
            return Task.CompletedTask;
        }
        catch (InvalidOperationException exception)
        {
            return Task.FromException(exception);
        }
    }

    /// <summary>Closes the connection. A transaction that has not ended is rolled back by the provider, and its permit goes back.</summary>
    public override void Close()
    {
        try
        {
            Inner.Close();
        }
        finally
        {
            AfterClose();
        }
    }

    /// <inheritdoc cref="Close"/>
    public override async Task CloseAsync()
    {
        try
        {
            await Inner.CloseAsync().ConfigureAwait(false);
        }
        finally
        {
            AfterClose();
        }
    }

    /// <inheritdoc/>
    public override void ChangeDatabase(string databaseName)
    {
        OpenInner();
        Inner.ChangeDatabase(databaseName);
    }

    /// <inheritdoc/>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
        OpenInner();
        Inner.EnlistTransaction(transaction);
    }

    /// <inheritdoc/>
    public override DataTable GetSchema()
    {
        OpenInner();
        return Inner.GetSchema();
    }

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName)
    {
        OpenInner();
        return Inner.GetSchema(collectionName);
    }

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues)
    {
        OpenInner();
        return Inner.GetSchema(collectionName, restrictionValues);
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        try
        {
            await Inner.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            AfterClose();
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    internal void OpenInner()
    {
        ThrowIfClosed();
        if (!_wasOpened)
        {
            Inner.Open();
            _wasOpened = true;
        }
    }

    internal async Task OpenInnerAsync(CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        if (!_wasOpened)
        {
            await Inner.OpenAsync(cancellationToken).ConfigureAwait(false);
            _wasOpened = true;
        }
    }

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => new GatedCommand(this, Inner.CreateCommand());

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            try
            {
                Inner.Dispose();
            }
            finally
            {
                AfterClose();
            }
        }

        base.Dispose(disposing);
    }

    private void ThrowIfClosed()
    {
        if (!_isOpen)
        {
            throw new InvalidOperationException("The connection is closed.");
        }
    }

    private void AfterClose()
    {
        bool wasOpen = _isOpen;
        _isOpen = false;
        _wasOpened = false;
        EndTransaction();
        if (wasOpen)
        {
            OnStateChange(new StateChangeEventArgs(ConnectionState.Open, ConnectionState.Closed));
        }
    }
}
