namespace AdaptivePool.Diagnostics;

/// <summary>
/// Calls the handlers of an event. They belong to parts of a program that do not know each other. A handler that throws must not prevent the calls of the
/// others, and a handler must not see what another one has left on the thread.
/// </summary>
internal static class EventHandlers
{
    /// <summary>Calls each handler, on a thread that must continue whatever the handlers do.</summary>
    /// <param name="handlers">The handlers; <see langword="null"/> for none.</param>
    /// <param name="sender">The object that raises the event.</param>
    /// <param name="what">The argument of the handlers.</param>
    /// <param name="onFault">
    /// Called for each exception of a handler: on this thread, or, after an await of an asynchronous handler, on the thread where the handler continues. Must
    /// not throw.
    /// </param>
    public static void Call<T>(this EventHandler<T>? handlers, object sender, T what, Action<Exception> onFault)
    {
        if (handlers is null)
        {
            return;
        }

        using var under = new UnderContext(SynchronizationContext.Current is { } current and not HandlerContext ? current : new HandlerContext(onFault));
        foreach (EventHandler<T> handler in Delegate.EnumerateInvocationList(handlers))
        {
            try
            {
                using var kept = new KeptThread();
                handler(sender, what);
            }
            catch (Exception exception)
            {
                onFault(exception);
            }
        }
    }
}
