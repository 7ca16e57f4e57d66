namespace AdaptivePool.Data;

/// <summary>Calls of a provider that exist twice, one that holds the thread and one that does not. Synchronously each returns a completed task.</summary>
internal static class ProviderCalls
{
    public static Task OpenAsync(this DbConnection connection, bool isAsync, CancellationToken cancellationToken) =>
        isAsync ? connection.OpenAsync(cancellationToken) : Done(connection.Open);

    public static Task CloseAsync(this DbConnection connection, bool isAsync) => isAsync ? connection.CloseAsync() : Done(connection.Close);

    /// <summary>Closes a connection, and tries once more if that fails and leaves it open. What makes the first attempt fail, such as an interrupt or a reader
    /// that could not be closed, rarely makes the second one fail. Fails as the first attempt.</summary>
    public static async Task CloseSurelyAsync(this DbConnection connection, bool isAsync)
    {
        try
        {
            await connection.CloseAsync(isAsync).ConfigureAwait(false);
        }
        catch (Exception) when (connection.State != ConnectionState.Closed)
        {
            try
            {
                await connection.CloseAsync(isAsync).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // The first exception says why.
            }

            throw;
        }
    }

    public static ValueTask<DbTransaction> BeginTransactionAsync(
        this DbConnection connection, IsolationLevel isolationLevel, bool isAsync, CancellationToken cancellationToken) =>
        isAsync ? connection.BeginTransactionAsync(isolationLevel, cancellationToken) : new(connection.BeginTransaction(isolationLevel));

    public static Task CommitAsync(this DbTransaction transaction, bool isAsync, CancellationToken cancellationToken) =>
        isAsync ? transaction.CommitAsync(cancellationToken) : Done(transaction.Commit);

    public static Task RollbackAsync(this DbTransaction transaction, bool isAsync, CancellationToken cancellationToken) =>
        isAsync ? transaction.RollbackAsync(cancellationToken) : Done(transaction.Rollback);

    public static Task CloseAsync(this DbDataReader reader, bool isAsync) => isAsync ? reader.CloseAsync() : Done(reader.Close);

    public static Task ExecuteAsync(this DbCommand command, bool isAsync, CancellationToken cancellationToken) =>
        isAsync ? command.ExecuteNonQueryAsync(cancellationToken) : Task.FromResult(command.ExecuteNonQuery());

    public static ValueTask DisposeAsync<T>(this T resource, bool isAsync)
        where T : IDisposable, IAsyncDisposable
    {
        if (isAsync)
        {
            return resource.DisposeAsync();
        }

        resource.Dispose();
        return default;
    }

    /// <summary>Makes a call whose failure does not matter: its object is broken, or had ended before.</summary>
    public static void Quietly(Action call)
    {
        try
        {
            call();
        }
        catch (Exception)
        {
            // It ends anyway.
        }
    }

    /// <summary>What a failed opening tells the callers that wait for it: the opening caller's own cancellation, or an interrupt of its thread, says nothing
    /// about the server.</summary>
    public static Exception? OfServer(this Exception exception, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested || WasInterrupted(exception) ? null : exception;

    public static Task Done(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    /// <summary>Whether the thread that opens was interrupted. A provider puts that into an exception of its own.</summary>
    private static bool WasInterrupted(Exception? exception) =>
        exception is not null && (exception is ThreadInterruptedException || WasInterrupted(exception.InnerException));
}
