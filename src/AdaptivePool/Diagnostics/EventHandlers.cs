namespace AdaptivePool.Diagnostics;

/// <summary>
/// Calls the handlers of an event. They belong to parts of a program that do not know each other, and one that throws must not keep the others from being told.
/// Neither must one see what another has left on the thread.
/// </summary>
internal static class EventHandlers
{
    /// <summary>Calls each of them, on a thread that must go on whatever they do.</summary>
    /// <param name="handlers">The handlers; <see langword="null"/> for none.</param>
    /// <param name="sender">What raises the event.</param>
    /// <param name="what">What they are told.</param>
    /// <param name="onFault">
    /// Told what each handler throws, here, or after an await of a handler that is asynchronous on the thread where it goes on. Must not throw.
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
