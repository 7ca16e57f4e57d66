namespace AdaptivePool.Internal;

/// <summary>A section that runs under another synchronization context, or under none. At its end the previous context is current again.</summary>
internal readonly ref struct UnderContext
{
    private readonly SynchronizationContext? _before = SynchronizationContext.Current;

    public UnderContext(SynchronizationContext? context) => SynchronizationContext.SetSynchronizationContext(context);

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_before);
}
