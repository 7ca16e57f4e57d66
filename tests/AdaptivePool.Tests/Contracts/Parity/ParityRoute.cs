namespace AdaptivePool.Tests.Contracts.Parity;

/// <summary>A way to run code: the runtime's own, or the one of ours that takes its place.</summary>
/// <param name="name">As docs/conformance.md calls it.</param>
/// <param name="factory">Of the route; its scheduler is where tasks go when they are sent there by name.</param>
/// <param name="ambient">What TaskScheduler.Current is to be in code of this route.</param>
/// <param name="pool">Whose workers run it; null for the runtime's.</param>
internal abstract class ParityRoute(string name, TaskFactory factory, TaskScheduler ambient, AdaptiveThreadPool? pool)
{
    public string Name => name;

    public TaskScheduler Scheduler => factory.Scheduler!;

    public TaskScheduler Ambient => ambient;

    public TaskFactory Factory => factory;

    /// <summary>Whether the caller runs where the route's work belongs.</summary>
    public bool IsHome => AdaptiveThreadPool.Current == pool && (pool is not null || Thread.CurrentThread.IsThreadPoolThread);

    public abstract Task Run(Action action, CancellationToken token = default);

    public abstract Task<T> Run<T>(Func<T> function, CancellationToken token = default);

    public abstract Task Run(Func<Task> function, CancellationToken token = default);

    public abstract Task<T> Run<T>(Func<Task<T>> function, CancellationToken token = default);
}
