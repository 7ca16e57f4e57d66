namespace AdaptivePool.Tests;

/// <summary>A work item that calls back.</summary>
public sealed class CallbackItem(Action callback) : IThreadPoolWorkItem
{
    public void Execute() => callback();
}
