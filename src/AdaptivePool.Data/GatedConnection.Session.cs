using System.Runtime.ExceptionServices;

namespace AdaptivePool.Data;

/// <remarks>The provider's session behind the connection, from its opening to its end.</remarks>
public partial class GatedConnection
{
    private SessionUse? Use => SessionUse.Present(ref _use);

    /// <summary>Enters the use for a call that is about to touch the provider. The caller leaves the use afterwards.</summary>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    internal SessionUse Enter() => Use is { } use && use.TryEnter() ? use : throw Closed();

    /// <summary>The session of a use: the provider's connection, opened or taken from the shelf unless there is one. For a caller inside the use. One of
    /// several callers opens it, and the others wait for that. Synchronously it returns a completed task.</summary>
    internal async Task<ProviderSession> OpenSessionAsync(SessionUse use, bool isAsync, CancellationToken cancellationToken)
    {
        ProviderSession? present;
        while ((present = use.Session) is null)
        {
            if (use.HasEnded)
            {
                throw Closed();
            }

            var opening = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (SessionUse.TryEnterOpening(ref _opening, opening) is not { } other)
            {
                return await OpenSessionAsync(use, opening, isAsync, cancellationToken).ConfigureAwait(false);
            }

            if (isAsync)
            {
                await other.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            else
            {
                other.Task.GetAwaiter().GetResult();
            }
        }

        return present;
    }

    /// <summary>For the one caller that opens.</summary>
    /// <param name="use">The use, which the caller is inside.</param>
    /// <param name="opening">The task for which the other callers wait. It fails if the provider fails.</param>
    /// <param name="isAsync">Whether to open without a thread.</param>
    /// <param name="cancellationToken">Ends the wait for a kept connection, and the opening.</param>
    private async Task<ProviderSession> OpenSessionAsync(
        SessionUse use, TaskCompletionSource opening, bool isAsync, CancellationToken cancellationToken)
    {
        Exception? failure = null;
        try
        {
            // Another caller may have opened it since this one looked.
            if (use.Session is { } present)
            {
                return present;
            }

            _source.ThrowIfDisposed();

            // The provider enlists a connection that it opens inside a TransactionScope, and the connection stays enlisted when it is closed. A connection that
            // is open already would not take part, and a kept one would not leave.
            bool isKept = !IsInScope(out System.Transactions.Transaction? scope) && _source.Shelf is not null;
            DbConnection connection;
            try
            {
                connection = isKept ? await _source.Shelf!.RentAsync(isAsync, cancellationToken).ConfigureAwait(false) : Own;
                if (!isKept)
                {
                    await Own.OpenAsync(isAsync, cancellationToken).ConfigureAwait(false);
                }
            }
            catch (Exception exception)
            {
                failure = exception.OfServer(cancellationToken);
                throw;
            }

            var opened = new ProviderSession(use, connection, isKept, OnStateChange);
            opened.Enlist(scope);
            opened.Watch();
            if (use.TryBegin(opened))
            {
                return opened;
            }

            opened.Unwatch();
            if (isKept)
            {
                _source.Shelf!.Keep(connection);
            }
            else
            {
                await Own.CloseSurelyAsync(isAsync).ConfigureAwait(false);
            }

            throw Closed();
        }
        finally
        {
            SessionUse.LeaveOpening(ref _opening);
            if (failure is null)
            {
                opening.SetResult();
            }
            else
            {
                opening.SetException(failure);

                // Observes the exception: it may be that no caller waits for the task.
                _ = opening.Task.Exception;
            }
        }
    }

    private static InvalidOperationException Closed() => new("The connection is closed.");

    private T Inside<T>(Func<DbConnection, T> call) =>
        InsideAsync(connection => Task.FromResult(call(connection)), isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    /// <summary>Calls the provider's connection. If this connection is open, the provider's is opened first; if not, the provider decides what it can do
    /// closed.</summary>
    /// <param name="call">The call.</param>
    /// <param name="isAsync">Whether to open it without a thread. Synchronously this returns a completed task, where the call does.</param>
    /// <param name="cancellationToken">Ends the opening.</param>
    /// <param name="isDirty">Whether no other user may get the session afterwards.</param>
    private async Task<T> InsideAsync<T>(Func<DbConnection, Task<T>> call, bool isAsync, CancellationToken cancellationToken, bool isDirty = false)
    {
        if (Use is null)
        {
            return await call(Own).ConfigureAwait(false);
        }

        SessionUse use = Enter();
        using var visit = new SessionUse.Visit(use);
        ProviderSession session = await OpenSessionAsync(use, isAsync, cancellationToken).ConfigureAwait(false);
        if (isDirty)
        {
            session.IsDirty = true;
        }

        return await call(session.Connection).ConfigureAwait(false);
    }

    /// <summary>Synchronously it returns a completed task.</summary>
    private async Task ShutAsync(bool isAsync, bool isDisposed)
    {
        ConnectionState before = State;

        // Also if the provider fails to close its connection: this one is closed all the same, and reports it.
        bool wasOpen = true;
        try
        {
            wasOpen = await EndUseAsync(isAsync).ConfigureAwait(false);
        }
        finally
        {
            try
            {
                if (isDisposed)
                {
                    await Own.DisposeAsync(isAsync).ConfigureAwait(false);
                }
            }
            finally
            {
                if (wasOpen && before != ConnectionState.Closed)
                {
                    OnStateChange(new StateChangeEventArgs(before, ConnectionState.Closed));
                }
            }
        }
    }

    /// <summary>Ends the present use, for one of several callers: closes what is open in its session and gives the session back. Then fails if a reader could
    /// not be closed, as the provider does: a statement behind the rows that were read may have failed.</summary>
    /// <returns>Whether there was one.</returns>
    private async Task<bool> EndUseAsync(bool isAsync)
    {
        if (SessionUse.TryTake(ref _use) is not { } use)
        {
            if (_left is { } left)
            {
                await left.Connection.CloseAsync(isAsync).ConfigureAwait(false);
                left.Unwatch();
                _left = null;

                // Not all providers report that they have closed it.
                left.EndPermits(hasFailed: true);
            }

            return false;
        }

        (ProviderSession? session, bool isQuiet) = use.End();
        if (session is null)
        {
            return true;
        }

        // Comes first: the user closes the connection, and what ends with it has not failed.
        session.Unwatch();
        Exception? failure = null;
        bool hasFailed = true;
        try
        {
            if (isQuiet)
            {
                failure = await session.CloseAllAsync(isAsync).ConfigureAwait(false);
            }
            else
            {
                session.Turn.Last?.Abort(use);
            }

            // Comes before the permit goes back, so that the caller that gets the permit finds the connection. A session in which a call still runs goes to no
            // other user.
            await (session.IsKept
                ? _source.Shelf!.ReturnAsync(session.Connection, isQuiet && !session.IsDirty, session.IsSuspect, isAsync)
                : session.Connection.CloseSurelyAsync(isAsync)).ConfigureAwait(false);
            hasFailed = false;
        }
        finally
        {
            if (hasFailed)
            {
                // The transaction may be open as well: the permits go back when the provider reports that the connection is closed. It may do so from here on.
                session.Watch();
                _left = session;
            }

            if (!hasFailed || session.Connection.State == ConnectionState.Closed)
            {
                // Nothing is left. The next use has a session of its own, which reports what becomes of the connection.
                session.Unwatch();
                _left = null;
                session.EndPermits(hasFailed);
            }
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return true;
    }
}
