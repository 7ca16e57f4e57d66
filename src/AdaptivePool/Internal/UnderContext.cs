namespace AdaptivePool.Internal;

/// <summary>A stretch of code under another synchronization context, or under none; at its end the one before is current again.</summary>
internal readonly ref struct UnderContext
{
    private readonly SynchronizationContext? _before = SynchronizationContext.Current;

    public UnderContext(SynchronizationContext? context) => SynchronizationContext.SetSynchronizationContext(context);

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_before);
}
