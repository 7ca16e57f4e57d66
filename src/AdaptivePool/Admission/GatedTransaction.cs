using System.Data;
using System.Data.Common;

namespace AdaptivePool.Admission;

/// <summary>
/// A transaction inside a gate. Its permit goes back once, with the first of commit, rollback, dispose, and the end of the connection; when commit or rollback fail and the provider says that the transaction is still open, it is
/// kept until one of the others.
/// </summary>
internal sealed class GatedTransaction : DbTransaction
{
    private readonly GatedConnection _connection;
    private readonly TransactionLease _lease;
    private readonly CancellationTokenRegistration _registration;

    public GatedTransaction(GatedConnection connection, DbTransaction inner, TransactionLease lease)
    {
        _connection = connection;
        _lease = lease;
        Inner = inner;
        _registration = lease.CancellationToken.UnsafeRegister(static state => ((GatedTransaction)state!).CancelRunning(), this);
    }

    public DbTransaction Inner { get; }

    public override IsolationLevel IsolationLevel => Inner.IsolationLevel;

    public override bool SupportsSavepoints => Inner.SupportsSavepoints;

    protected override DbConnection? DbConnection => Inner.Connection is null ? null : _connection;

    public override void Commit()
    {
        ThrowIfCancelled();
        try
        {
            Inner.Commit();
        }
        catch
        {
            EndIfOver();
            throw;
        }

        End();
    }

    public override async Task CommitAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfCancelled();
        try
        {
            await Inner.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            EndIfOver();
            throw;
        }

        End();
    }

    public override void Rollback()
    {
        try
        {
            Inner.Rollback();
        }
        catch
        {
            EndIfOver();
            throw;
        }

        End();
    }

    public override async Task RollbackAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await Inner.RollbackAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            EndIfOver();
            throw;
        }

        End();
    }

    public override void Save(string savepointName) => Inner.Save(savepointName);

    public override Task SaveAsync(string savepointName, CancellationToken cancellationToken = default) => Inner.SaveAsync(savepointName, cancellationToken);

    public override void Rollback(string savepointName) => Inner.Rollback(savepointName);

    public override Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default) => Inner.RollbackAsync(savepointName, cancellationToken);

    public override void Release(string savepointName) => Inner.Release(savepointName);

    public override Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default) => Inner.ReleaseAsync(savepointName, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        try
        {
            await Inner.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            End();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Where the transaction would go on.</summary>
    /// <exception cref="OperationCanceledException">An administrator has cancelled the transaction.</exception>
    public void ThrowIfCancelled()
    {
        if (_lease.CancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException("The transaction was cancelled by an administrator of its gate.", _lease.CancellationToken);
        }
    }

    /// <summary>Leaves the gate, the first time.</summary>
    public void End()
    {
        _registration.Unregister();
        _connection.Forget(this);
        _lease.Dispose();
    }

    protected override void Dispose(bool disposing)
    {
        if (!disposing)
        {
            return;
        }

        try
        {
            Inner.Dispose();
        }
        finally
        {
            End();
        }
    }

    private void CancelRunning() => _connection.CancelRunning(this);

    /// <summary>After a failed end: only the provider knows whether the server has ended the transaction.</summary>
    private void EndIfOver()
    {
        try
        {
            if (Inner.Connection is { } connection && connection.State.HasFlag(ConnectionState.Open))
            {
                return;
            }
        }
        catch (ObjectDisposedException)
        {
            // Some providers say so in this way.
        }

        End();
    }
}
