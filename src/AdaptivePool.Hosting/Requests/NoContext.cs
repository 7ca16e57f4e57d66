namespace AdaptivePool.Hosting.Requests;

/// <summary>A stretch of code under no synchronization context; at its end the one before is current again.</summary>
internal readonly ref struct NoContext
{
    private readonly SynchronizationContext? _before = SynchronizationContext.Current;

    public NoContext() => SynchronizationContext.SetSynchronizationContext(null);

    /// <summary>Begins an asynchronous operation under no context; code that awaits it comes back to its own context.</summary>
    public static TTask Begin<TState, TTask>(TState state, Func<TState, TTask> begin)
    {
        using var none = new NoContext();
        return begin(state);
    }

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_before);
}
