using System.Runtime.CompilerServices;

namespace AdaptivePool;

/// <remarks>Work of many tenants in one class.</remarks>
public sealed partial class WorkClass
{
    /// <summary>
    /// Runs an asynchronous function for a tenant: a customer, a user, a connection. While work waits, each tenant of the class has one item in turn, whatever
    /// each of them sends; work that names none is that of one more tenant. There may be any number of tenants; one without waiting work takes no memory.
    /// </summary>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    /// <param name="tenant">Name of the tenant, case-sensitive; not empty. Means nothing for work in flight.</param>
    /// <param name="function">What to run; of normal priority.</param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started.</param>
    /// <exception cref="ArgumentException"><paramref name="tenant"/> is null or empty.</exception>
    [OverloadResolutionPriority(1)]
    public Task RunFor(string tenant, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        return RunAt(RootPlace.Of(tenant), function, cancellationToken);
    }

    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> RunFor<T>(string tenant, Func<Task<T>> function, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        return RunAt(RootPlace.Of(tenant), function, cancellationToken);
    }

    /// <summary>Runs a function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task<T> RunFor<T>(string tenant, Func<T> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunFor(tenant, () => Task.FromResult(function()), cancellationToken);
    }

    /// <summary>Runs an action for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    /// <param name="tenant">Name of the tenant, case-sensitive; not empty. Means nothing for work in flight.</param>
    /// <param name="action">What to run; of normal priority.</param>
    /// <param name="cancellationToken">Cancels the action as long as it has not started.</param>
    public Task RunFor(string tenant, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return RunFor(tenant, AsFunction(action), cancellationToken);
    }

    /// <summary>
    /// Queues an item for a tenant, without capturing the execution context; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="UnsafeQueueUserWorkItem(IThreadPoolWorkItem)"/>
    /// <param name="tenant">Name of the tenant, case-sensitive; not empty. Means nothing for work in flight.</param>
    /// <param name="item">What to run; the same object may be queued again.</param>
    public void UnsafeQueueUserWorkItemFor(string tenant, IThreadPoolWorkItem item)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        AdaptiveThreadPool.CheckItem(item);
        Intake.QueueAt(this, RootPlace.Of(tenant), item);
    }
}
