using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <remarks>Work of several tenants in one class, and work that should run where its data is.</remarks>
public sealed partial class WorkClass
{
    /// <summary>
    /// Runs an asynchronous function for a tenant: a customer, a user or a connection. While work waits, the class takes one item from each tenant in turn,
    /// however many items each tenant sends. All work without a tenant counts as one more tenant. The number of tenants is not limited. A tenant without
    /// waiting work uses no memory.
    /// </summary>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    /// <param name="tenant">The name of the tenant, case-sensitive; not empty. It has no effect on in-flight work.</param>
    /// <param name="function">The function to run, with normal priority.</param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started.</param>
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
        RunTask(RootPlace.Of(tenant), function, cancellationToken);

    /// <summary>Runs an action for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    /// <param name="tenant">The name of the tenant, case-sensitive; not empty. It has no effect on in-flight work.</param>
    /// <param name="action">The action to run, with normal priority.</param>
    /// <param name="cancellationToken">A token that cancels the action if it has not started.</param>
    public Task RunFor(string tenant, Action action, CancellationToken cancellationToken = default) =>
        RunTask(RootPlace.Of(tenant), action, cancellationToken);

    /// <summary>
    /// Queues an item for a tenant, without capturing the execution context; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    /// <param name="tenant">The name of the tenant, case-sensitive; not empty. It has no effect on in-flight work.</param>
    /// <param name="item">The item to run. The same object may be queued again.</param>
    /// <exception cref="ArgumentException"><paramref name="tenant"/> is null or empty, or <paramref name="item"/> is a task.</exception>
    public void UnsafeQueueUserWorkItemFor(string tenant, IThreadPoolWorkItem item)
    {
        AdaptiveThreadPool.CheckItem(item);
        Intake.QueueAt(this, RootPlace.Of(tenant), item);
    }

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task RunFor(string tenant, Func<ValueTask> function, CancellationToken cancellationToken = default) =>
        RunFor(tenant, function.AsFunction(), cancellationToken);

    /// <summary>Runs an asynchronous function for a tenant; see <see cref="RunFor(string, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunFor(string, Func{Task}, CancellationToken)"/>
    public Task<T> RunFor<T>(string tenant, Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        RunFor(tenant, function.AsFunction(), cancellationToken);

    /// <summary>
    /// Runs an asynchronous function on a thread of its route's group, if that group has a free thread. Work of one route then finds the CPU caches that
    /// earlier work of the route has filled. Code after an await continues on the thread where the function started, unless another thread takes it.
    /// </summary>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    /// <param name="route">
    /// The number of a connection, a customer or a partition. The group is the remainder of this number divided by the number of groups, so consecutive numbers
    /// are spread over all groups in turn. It has no effect on in-flight work, or if there is one group (<see cref="AdaptiveThreadPool.ThreadGroups"/>).
    /// </param>
    /// <param name="function">The function to run, with normal priority.</param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started.</param>
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
        RunTask(RootPlace.Of(route), function, cancellationToken);

    /// <summary>Runs an action on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    /// <param name="route">See <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</param>
    /// <param name="action">The action to run, with normal priority.</param>
    /// <param name="cancellationToken">A token that cancels the action if it has not started.</param>
    public Task RunRouted(long route, Action action, CancellationToken cancellationToken = default) =>
        RunTask(RootPlace.Of(route), action, cancellationToken);

    /// <summary>
    /// Queues an item for the threads of its route's group, without capturing the execution context; see
    /// <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    /// <param name="route">See <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.</param>
    /// <param name="item">The item to run. The same object may be queued again.</param>
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
        RunRouted(route, function.AsFunction(), cancellationToken);

    /// <summary>
    /// Runs an asynchronous function on the threads of its route's group; see <see cref="RunRouted(long, Func{Task}, CancellationToken)"/>.
    /// </summary>
    /// <inheritdoc cref="RunRouted(long, Func{Task}, CancellationToken)"/>
    public Task<T> RunRouted<T>(long route, Func<ValueTask<T>> function, CancellationToken cancellationToken = default) =>
        RunRouted(route, function.AsFunction(), cancellationToken);

    private Task RunAt(in RootPlace place, Func<Task> function, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        ThrowIfRefused(place.Priority);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        var item = new AsyncActionItem(this, function, cancellationToken, SurroundingsOf(function));
        Intake.Queue(this, item, place, fair: false);
        return item.Task;
    }

    private Task<T> RunAt<T>(in RootPlace place, Func<Task<T>> function, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        ThrowIfRefused(place.Priority);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellationToken);
        }

        var item = new AsyncFunctionItem<T>(this, function, cancellationToken, SurroundingsOf(function));
        Intake.Queue(this, item, place, fair: false);
        return item.Task;
    }
}
