using System.Runtime.ExceptionServices;

namespace AdaptivePool.Data;

/// <remarks>The provider's session behind the connection, from its opening to its end.</remarks>
public partial class GatedConnection
{
    private SessionUse? Use => SessionUse.Present(ref _use);

    /// <summary>A call that is about to touch the provider. Who calls this leaves the use afterwards.</summary>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    internal SessionUse Enter() => Use is { } use && use.TryEnter() ? use : throw Closed();

    /// <summary>The session of a use: the provider's connection, opened or taken from the shelf unless there is one. For a caller inside the use.
    /// Of several callers one opens it, and the others wait for that. Synchronously it returns a completed task.</summary>
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
    /// <param name="opening">What the others wait for. It fails where the provider does.</param>
    /// <param name="isAsync">Whether to open without a thread.</param>
    /// <param name="cancellationToken">Ends the wait for a kept connection, and the opening.</param>
    private async Task<ProviderSession> OpenSessionAsync(
        SessionUse use, TaskCompletionSource opening, bool isAsync, CancellationToken cancellationToken)
    {
        Exception? failure = null;
        try
        {
            // Another one may have opened it since the caller looked.
            if (use.Session is { } present)
            {
                return present;
            }

            _source.ThrowIfDisposed();

            // The provider enlists in a TransactionScope what it opens there, and that stays enlisted when it is closed:
            // one that is open already would not take part, and one that is kept would not leave.
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

                // Seen: nobody may wait for it.
                _ = opening.Task.Exception;
            }
        }
    }

    private static InvalidOperationException Closed() => new("The connection is closed.");

    private T Inside<T>(Func<DbConnection, T> call) =>
        InsideAsync(connection => Task.FromResult(call(connection)), isAsync: false, CancellationToken.None).GetAwaiter().GetResult();

    /// <summary>Calls the provider's connection, opened where this one is open; it knows what it can do closed.</summary>
    /// <param name="call">The call.</param>
    /// <param name="isAsync">Whether to open it without a thread. Synchronously this returns a completed task, where the call does.</param>
    /// <param name="cancellationToken">Ends the opening.</param>
    /// <param name="isDirty">Whether nobody else may get the session afterwards.</param>
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

        // Also where the provider fails in closing: the connection is closed all the same, and says so.
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

    /// <summary>Ends the present use, for one caller: closes what is open in its session and gives that back. Fails afterwards where a reader could not be
    /// closed, as the provider does: it may be that a statement behind the rows that were read has failed.</summary>
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

                // Not all providers tell that they have closed it.
                left.EndPermits(hasFailed: true);
            }

            return false;
        }

        (ProviderSession? session, bool isQuiet) = use.End();
        if (session is null)
        {
            return true;
        }

        // First: its user closes it, and what ends with it has not failed.
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

            // Before the permit goes back, so that who gets that finds the connection. One in which a call still runs is nobody else's.
            await (session.IsKept
                ? _source.Shelf!.ReturnAsync(session.Connection, isQuiet && !session.IsDirty, session.IsSuspect, isAsync)
                : session.Connection.CloseSurelyAsync(isAsync)).ConfigureAwait(false);
            hasFailed = false;
        }
        finally
        {
            if (hasFailed)
            {
                // Its transaction may be open as well: the permits go back when the provider says that it is closed. It may say so from here on.
                session.Watch();
                _left = session;
            }

            if (!hasFailed || session.Connection.State == ConnectionState.Closed)
            {
                // Nothing is left. The next use has a session of its own, which tells what becomes of the connection.
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
