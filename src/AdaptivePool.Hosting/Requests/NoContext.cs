namespace AdaptivePool.Hosting.Requests;

/// <summary>A stretch of code under no synchronization context; at its end the one before is current again.</summary>
internal readonly ref struct NoContext
{
    private readonly SynchronizationContext? _before = SynchronizationContext.Current;

    public NoContext() => SynchronizationContext.SetSynchronizationContext(null);

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_before);
}
