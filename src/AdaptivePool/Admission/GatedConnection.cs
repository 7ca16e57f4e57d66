using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// A connection of a <see cref="GatedDataSource"/>. Code that needs the provider's own type finds it in <see cref="Inner"/>; transactions begun there pass no gate.
/// </summary>
public sealed partial class GatedConnection : DbConnection
{
    /// <summary>The one that is this object's; where connections are kept, it makes commands, and is opened inside a TransactionScope only.</summary>
    private readonly DbConnection _own;
    private readonly TransactionGate _gate;
    private readonly GatedDataSourceOptions _options;
    private readonly ConnectionShelf? _shelf;
    private readonly OpenReaders<RealSync> _readers = new();
    private bool _isOpen;
    private bool _wasOpened;
    private bool _isClean = true;
    private bool _isClosing;

    internal GatedConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf)
    {
        _own = own;
        Inner = own;
        _gate = gate;
        _options = options;
        _shelf = shelf;
        own.StateChange += OnInnerStateChange;
    }

    /// <summary>
    /// The provider's connection; closed until the first statement or transaction. Where the source keeps connections, another one from then on until this one is closed: give it back as it was.
    /// </summary>
    public DbConnection Inner { get; private set; }

    /// <inheritdoc/>
    [AllowNull]
    public override string ConnectionString
    {
        get => _own.ConnectionString;
        set => _own.ConnectionString = _shelf is null ? value : throw new InvalidOperationException("The connections of this source are kept: they cannot have another connection string.");
    }

    /// <inheritdoc/>
    public override string Database => Inner.Database;

    /// <inheritdoc/>
    public override string DataSource => Inner.DataSource;

    /// <inheritdoc/>
    public override int ConnectionTimeout => _own.ConnectionTimeout;

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

        GiveBack();
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
    public override void Close() => ShutAsync(isAsync: false, isDisposed: false).GetAwaiter().GetResult();

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync() => ShutAsync(isAsync: true, isDisposed: false);

    /// <inheritdoc/>
    public override void ChangeDatabase(string databaseName)
    {
        OpenInner();
        _isClean = false;
        Inner.ChangeDatabase(databaseName);
    }

    /// <inheritdoc/>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
        OpenInner();
        _isClean = false;
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
        await ShutAsync(isAsync: true, isDisposed: true).ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    internal void OpenInner() => OpenInnerAsync(isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    /// <summary>Opens the provider's connection, or takes a kept one, unless there is one. Synchronously it returns a completed task.</summary>
    internal async Task OpenInnerAsync(bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        if (_wasOpened)
        {
            return;
        }

        // The provider enlists in a TransactionScope what it opens there, and that stays enlisted when it is closed: one that is open already would not take part, and one that is kept would not leave.
        if (_shelf is not null && System.Transactions.Transaction.Current is null)
        {
            DbConnection kept = await _shelf.RentAsync(isAsync, cancellationToken).ConfigureAwait(false);
            kept.StateChange += OnInnerStateChange;
            _isClean = true;
            Inner = kept;
        }
        else if (isAsync)
        {
            await Inner.OpenAsync(cancellationToken).ConfigureAwait(false);
        }
        else
        {
            Inner.Open();
        }

        _wasOpened = true;
    }

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => new GatedCommand(this, _own.CreateCommand());

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ShutAsync(isAsync: false, isDisposed: true).GetAwaiter().GetResult();
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

    /// <summary>Closes what is open, and the connection. Synchronously it returns a completed task.</summary>
    private async Task ShutAsync(bool isAsync, bool isDisposed)
    {
        _isClosing = true;
        try
        {
            await CloseReadersAsync(isAsync).ConfigureAwait(false);
            await RollBackKeptAsync(isAsync).ConfigureAwait(false);
            if (isAsync)
            {
                await (isDisposed ? _own.DisposeAsync() : new ValueTask(_own.CloseAsync())).ConfigureAwait(false);
            }
            else if (isDisposed)
            {
                _own.Dispose();
            }
            else
            {
                _own.Close();
            }
        }
        catch
        {
            StatementFailed();
            throw;
        }
        finally
        {
            AfterClose();
        }
    }

    /// <summary>The provider closes its readers with its connection; those of a kept one, and permits, are left. Fails nobody.</summary>
    private async Task CloseReadersAsync(bool isAsync)
    {
        foreach (DbDataReader reader in _readers.TakeAll())
        {
            try
            {
                if (isAsync)
                {
                    await reader.CloseAsync().ConfigureAwait(false);
                }
                else
                {
                    reader.Close();
                }
            }
            catch (Exception)
            {
                MarkUnclean();
            }
        }
    }

    /// <summary>The provider rolls back what is open when a connection is closed; a kept one is not closed. Fails nobody: a connection on which it fails is thrown away.</summary>
    private async Task RollBackKeptAsync(bool isAsync)
    {
        try
        {
            if (TakeOpenKept() is not { } open)
            {
                return;
            }

            if (isAsync)
            {
                await open.Inner.DisposeAsync().ConfigureAwait(false);
            }
            else
            {
                open.Inner.Dispose();
            }
        }
        catch (Exception)
        {
            StatementFailed();
            MarkUnclean();
        }
    }

    private GatedTransaction? TakeOpenKept() => ReferenceEquals(Inner, _own) ? null : OpenTransaction;

    /// <summary>Before the permit goes back, so that who gets that finds the connection.</summary>
    private void GiveBack()
    {
        if (ReferenceEquals(Inner, _own))
        {
            return;
        }

        DbConnection kept = Inner;
        Inner = _own;
        kept.StateChange -= OnInnerStateChange;
        _shelf!.Return(kept, _isClean);
    }

    private void AfterClose()
    {
        GiveBack();
        bool wasOpen = _isOpen;
        _isOpen = false;
        _wasOpened = false;
        _isClosing = false;
        EndTransaction();
        if (wasOpen)
        {
            OnStateChange(new StateChangeEventArgs(ConnectionState.Open, ConnectionState.Closed));
        }
    }
}
