namespace AdaptivePool.Scenarios.Pools;

/// <summary>The part of a pool that serves one kind of work.</summary>
/// <param name="Queue">Queues a work item.</param>
/// <param name="Run">Runs an asynchronous function.</param>
public sealed record ComparedClass(Action<IThreadPoolWorkItem> Queue, Func<Func<Task>, Task> Run);
