using System.Runtime.CompilerServices;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <remarks>Work of many tenants in one class, and work that is best done where its data is.</remarks>
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
    public Task RunFor(string tenant, Func<Task> function, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(tenant), function, cancellationToken);

    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> RunFor<T>(string tenant, Func<Task<T>> function, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(tenant), function, cancellationToken);

    /// <summary>Runs a function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task<T> RunFor<T>(string tenant, Func<T> function, CancellationToken cancellationToken = default) =>
        RunFor(tenant, AsFunction(function), cancellationToken);

    /// <summary>Runs an action for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    /// <param name="tenant">Name of the tenant, case-sensitive; not empty. Means nothing for work in flight.</param>
    /// <param name="action">What to run; of normal priority.</param>
    /// <param name="cancellationToken">Cancels the action as long as it has not started.</param>
    public Task RunFor(string tenant, Action action, CancellationToken cancellationToken = default) =>
        RunFor(tenant, AsFunction(action), cancellationToken);

    /// <summary>
    /// Queues an item for a tenant, without capturing the execution context; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>
    /// <param name="tenant">Name of the tenant, case-sensitive; not empty. Means nothing for work in flight.</param>
    /// <param name="item">What to run; the same object may be queued again.</param>
    public void UnsafeQueueUserWorkItemFor(string tenant, IThreadPoolWorkItem item)
    {
        AdaptiveThreadPool.CheckItem(item);
        Intake.QueueAt(this, RootPlace.Of(tenant), item);
    }

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task RunFor(string tenant, Func<ValueTask> function, CancellationToken cancellationToken = default) =>
        RunFor(tenant, AsFunction(function), cancellationToken);

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task<T> RunFor<T>(string tenant, Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        RunFor(tenant, AsFunction(function), cancellationToken);

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group, if that has one to spare: work of one route finds the caches warm that earlier work
    /// of it has left. What follows an await of it runs on the thread where it has begun, unless another one takes it.
    /// </summary>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    /// <param name="route">
    /// Number of a connection, a customer, a partition. The remainder by the number of groups says which group; numbers that are given out in a row spread over
    /// all groups in turn. Means nothing for work in flight, and with one group (<see cref="AdaptiveThreadPool.ThreadGroups"/>).
    /// </param>
    /// <param name="function">What to run; of normal priority.</param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started.</param>
    [OverloadResolutionPriority(1)]
    public Task RunRouted(long route, Func<Task> function, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(route), function, cancellationToken);

    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> RunRouted<T>(long route, Func<Task<T>> function, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(route), function, cancellationToken);

    /// <summary>Runs a function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task<T> RunRouted<T>(long route, Func<T> function, CancellationToken cancellationToken = default) =>
        RunRouted(route, AsFunction(function), cancellationToken);

    /// <summary>Runs an action on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    /// <param name="route">See <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</param>
    /// <param name="action">What to run; of normal priority.</param>
    /// <param name="cancellationToken">Cancels the action as long as it has not started.</param>
    public Task RunRouted(long route, Action action, CancellationToken cancellationToken = default) =>
        RunRouted(route, AsFunction(action), cancellationToken);

    /// <summary>
    /// Queues an item for the threads of its route's group, without capturing the execution context; see
    /// <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>
    /// <param name="route">See <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</param>
    /// <param name="item">What to run; the same object may be queued again.</param>
    public void UnsafeQueueUserWorkItemRouted(long route, IThreadPoolWorkItem item)
    {
        AdaptiveThreadPool.CheckItem(item);
        Intake.QueueAt(this, RootPlace.Of(route), item);
    }

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task RunRouted(long route, Func<ValueTask> function, CancellationToken cancellationToken = default) =>
        RunRouted(route, AsFunction(function), cancellationToken);

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task<T> RunRouted<T>(long route, Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        RunRouted(route, AsFunction(function), cancellationToken);

    private Task RunAt(in RootPlace place, Func<Task> function, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        Intake.ThrowIfRefused(this);
        var item = new AsyncActionItem(this, function, cancellationToken);
        Intake.QueueAt(this, place, item);
        return item.Task;
    }

    private Task<T> RunAt<T>(in RootPlace place, Func<Task<T>> function, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        Intake.ThrowIfRefused(this);
        var item = new AsyncFunctionItem<T>(this, function, cancellationToken);
        Intake.QueueAt(this, place, item);
        return item.Task;
    }

    /// <summary>A function that returns a task, as each kind of function is run in the end. Refuses none.</summary>
    internal static Func<Task> AsFunction(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        return () =>
        {
            action();
            return Task.CompletedTask;
        };
    }

    /// <inheritdoc cref="AsFunction(Action)"/>
    internal static Func<Task<T>> AsFunction<T>(Func<T> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        return () => Task.FromResult(function());
    }

    /// <inheritdoc cref="AsFunction(Action)"/>
    internal static Func<Task> AsFunction(Func<ValueTask> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        return () => function().AsTask();
    }

    /// <inheritdoc cref="AsFunction(Action)"/>
    internal static Func<Task<T>> AsFunction<T>(Func<ValueTask<T>> function)
    {
        ArgumentNullException.ThrowIfNull(function);
        return () => function().AsTask();
    }
}
