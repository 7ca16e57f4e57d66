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

    public override void Commit() => Finish(CommitBy(static inner => Done(inner.Commit)));

    public override Task CommitAsync(CancellationToken cancellationToken = default) => CommitBy(inner => inner.CommitAsync(cancellationToken));

    public override void Rollback() => Finish(EndBy(static inner => Done(inner.Rollback)));

    public override Task RollbackAsync(CancellationToken cancellationToken = default) => EndBy(inner => inner.RollbackAsync(cancellationToken));

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
        catch
        {
            EndFailed();
            throw;
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

    /// <summary>A statement or the connection failed.</summary>
    public void MarkFailed() => _lease.HasFailed = true;

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
        catch
        {
            EndFailed();
            throw;
        }
        finally
        {
            End();
        }
    }

    /// <summary>The synchronous form has done its work when the task is there: nothing is waited for.</summary>
    private static void Finish(Task done) => done.GetAwaiter().GetResult();

    private static Task Done(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    private async Task CommitBy(Func<DbTransaction, Task> commit)
    {
        ThrowIfCancelled();

        // What failed before the commit was undone to a savepoint, or did not matter.
        await EndBy(async inner =>
        {
            await commit(inner).ConfigureAwait(false);
            _lease.HasFailed = false;
        }).ConfigureAwait(false);
    }

    private async Task EndBy(Func<DbTransaction, Task> end)
    {
        try
        {
            await end(Inner).ConfigureAwait(false);
        }
        catch
        {
            EndFailed();
            EndIfOver();
            throw;
        }

        End();
    }

    /// <summary>Nobody knows what is left open on the connection.</summary>
    private void EndFailed()
    {
        MarkFailed();
        _connection.MarkUnclean();
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
