namespace AdaptivePool.Data;

/// <summary>
/// A transaction inside a gate, or one inside a TransactionScope, which asks for no permit. Its permit goes back once, with the first of commit, rollback,
/// dispose, and the end of the connection; when commit or rollback fail and the provider says that the transaction is still open, it is
/// kept until one of the others. Once it has ended, and once its connection is closed, it never touches the provider's transaction again:
/// a provider may use the object for the next transaction of the connection, which may be another user's.
/// </summary>
internal sealed class GatedTransaction : DbTransaction
{
    private readonly ProviderSession _session;
    private DbTransaction? _inner;
    private GatedConnection? _connection;
    private bool _isDisposed;

    public GatedTransaction(GatedConnection connection, ProviderSession session, DbTransaction inner, TransactionLease? lease)
    {
        _connection = connection;
        _session = session;
        _inner = inner;
        SupportsSavepoints = inner.SupportsSavepoints;
        Permit = new GatePermit(lease, CancelRunning);
    }

    public GatePermit Permit { get; }

    /// <summary>The provider's transaction; <see langword="null"/> once it has ended, also by SQL text or with a connection whose end the provider did not
    /// report.</summary>
    public DbTransaction? Inner => !_session.Use.HasEnded && _inner is { } inner && !IsOver(inner) ? inner : null;

    public override IsolationLevel IsolationLevel
    {
        get
        {
            using ProviderSession.Visit visit = Enter(out DbTransaction inner);
            return inner.IsolationLevel;
        }
    }

    public override bool SupportsSavepoints { get; }

    protected override DbConnection? DbConnection => Inner is null ? null : _connection;

    public override void Commit() => EndAsync(isCommit: true, isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    public override Task CommitAsync(CancellationToken cancellationToken = default) => EndAsync(isCommit: true, isAsync: true, cancellationToken);

    public override void Rollback() => EndAsync(isCommit: false, isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    public override Task RollbackAsync(CancellationToken cancellationToken = default) => EndAsync(isCommit: false, isAsync: true, cancellationToken);

    public override void Save(string savepointName) => Call(inner => inner.Save(savepointName));

    public override Task SaveAsync(string savepointName, CancellationToken cancellationToken = default) =>
        CallAsync(inner => inner.SaveAsync(savepointName, cancellationToken));

    public override void Rollback(string savepointName) => Call(inner => inner.Rollback(savepointName));

    public override Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default) =>
        CallAsync(inner => inner.RollbackAsync(savepointName, cancellationToken));

    public override void Release(string savepointName) => Call(inner => inner.Release(savepointName));

    public override Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default) =>
        CallAsync(inner => inner.ReleaseAsync(savepointName, cancellationToken));

    public override async ValueTask DisposeAsync()
    {
        await DisposeAsync(isAsync: true).ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    public static InvalidOperationException Over() => new("The transaction has ended, or its connection is closed.");

    /// <summary>The connection is being closed, and no call is inside: rolls back what is open. Never throws. Synchronously it returns a completed
    /// task.</summary>
    public async Task RollBackAsync(bool isAsync)
    {
        try
        {
            await (_inner?.DisposeAsync(isAsync) ?? default).ConfigureAwait(false);
        }
        catch (Exception)
        {
            EndFailed();
        }
    }

    /// <summary>The first call leaves the gate.</summary>
    public void End(bool hasFailed = false)
    {
        // A transaction whose connection broke still reports why, until its user disposes it or closes the connection: the provider gives its object to no
        // other user.
        if (!_session.IsBroken || _isDisposed)
        {
            _inner = null;
        }

        _connection = null;
        _session.Turn.Forget(this);
        Permit.End(hasFailed);
    }

    /// <summary>Ends the statement that runs, if one does.</summary>
    public void CancelRunning() => _session.Turn.RunningOf(this)?.CancelIn(_session.Use);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            DisposeAsync(isAsync: false).GetAwaiter().GetResult();
        }
    }

    /// <summary>Synchronously it returns a completed task.</summary>
    private async ValueTask DisposeAsync(bool isAsync)
    {
        _isDisposed = true;
        if (_inner is not { } inner || !_session.Use.TryEnter())
        {
            return;
        }

        try
        {
            await inner.DisposeAsync(isAsync).ConfigureAwait(false);
        }
        catch
        {
            EndFailed();
            throw;
        }
        finally
        {
            _session.Leave();
            await EndAsync(isAsync).ConfigureAwait(false);
        }
    }

    /// <summary>Synchronously it returns a completed task.</summary>
    private async Task EndAsync(bool isCommit, bool isAsync, CancellationToken cancellationToken)
    {
        using (Enter(out DbTransaction inner))
        {
            if (isCommit)
            {
                Permit.ThrowIfCancelled();
            }

            try
            {
                await (isCommit ? inner.CommitAsync(isAsync, cancellationToken) : inner.RollbackAsync(isAsync, cancellationToken)).ConfigureAwait(false);
            }
            catch
            {
                EndFailed();
                if (IsOver(inner))
                {
                    await EndAsync(isAsync).ConfigureAwait(false);
                }

                throw;
            }

            if (isCommit)
            {
                // A failure before the commit was undone to a savepoint, or did not matter.
                Permit.Lease?.HasFailed = false;
            }

            try
            {
                await inner.DisposeAsync(isAsync).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // The transaction has ended well, and stays so whatever becomes of its object.
                _session.IsDirty = true;
            }
        }

        await EndAsync(isAsync).ConfigureAwait(false);
    }

    /// <summary>Leaves the gate after the transaction's own end. Waits for a cancellation that runs, so that it does not reach what runs on the connection
    /// next. Synchronously it returns a completed task.</summary>
    private async ValueTask EndAsync(bool isAsync)
    {
        try
        {
            await Permit.SettleAsync(isAsync).ConfigureAwait(false);
        }
        finally
        {
            // Also if the caller's thread is interrupted meanwhile.
            End();
        }
    }

    /// <summary>The end failed, and what is left open on the connection is unknown.</summary>
    private void EndFailed()
    {
        Permit.MarkFailed();
        _session.IsDirty = true;
    }

    /// <summary>Only the provider knows whether the server has ended the transaction.</summary>
    private static bool IsOver(DbTransaction inner)
    {
        try
        {
            return inner.Connection is not { } connection || !connection.State.HasFlag(ConnectionState.Open);
        }
        catch (ObjectDisposedException)
        {
            // Some providers report the end in this way.
            return true;
        }
    }

    private ProviderSession.Visit Enter(out DbTransaction inner)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        inner = _inner!;
        return inner is not null && _session.Use.TryEnter() ? new ProviderSession.Visit(_session)
            : throw Over();
    }

    private void Call(Action<DbTransaction> call)
    {
        using ProviderSession.Visit visit = Enter(out DbTransaction inner);
        call(inner);
    }

    private async Task CallAsync(Func<DbTransaction, Task> call)
    {
        using ProviderSession.Visit visit = Enter(out DbTransaction inner);
        await call(inner).ConfigureAwait(false);
    }
}
