namespace AdaptivePool;

/// <remarks>Queues work. The methods of the runtime's <see cref="ThreadPool"/> exist here under the same names.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private int _longRunning;

    /// <summary>Runs an action on the pool.</summary>
    /// <inheritdoc cref="WorkClass.Run(Action, WorkPriority, CancellationToken)"/>
    public Task Run(Action action, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(action, priority, cancellationToken);

    /// <summary>Runs a function on the pool.</summary>
    /// <inheritdoc cref="WorkClass.Run{T}(Func{T}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<T> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Runs an asynchronous function on the pool. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run(Func{Task}, WorkPriority, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task Run(Func<Task> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Runs an asynchronous function on the pool. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run{T}(Func{Task{T}}, WorkPriority, CancellationToken)"/>
    [OverloadResolutionPriority(1)]
    public Task<T> Run<T>(Func<Task<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Runs an asynchronous function on the pool. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run(Func{ValueTask}, WorkPriority, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Runs an asynchronous function on the pool. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run{T}(Func{ValueTask{T}}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Queues a work item, without an allocation and without capturing the execution context.</summary>
    /// <param name="item">The item to run. The same object may be queued again.</param>
    /// <param name="preferLocal">
    /// <see langword="true"/> to put the item into the calling worker's own queue, where the newest item runs first, if the caller is a worker of this pool. In
    /// all other cases the item waits in FIFO order.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="item"/> is a task. Start tasks with <see cref="Scheduler"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    /// <exception cref="WorkRefusedException">
    /// The default class has too many waiting items (<see cref="WorkClass.MaxQueued"/>). Not thrown for an <see cref="IRefusableWorkItem"/>, which is notified
    /// instead, and not thrown on a worker of this pool.
    /// </exception>
    public void UnsafeQueueUserWorkItem(IThreadPoolWorkItem item, bool preferLocal)
    {
        CheckItem(item);
        Intake.Queue(DefaultClass, item, RootPlace.Normal, fair: !preferLocal);
    }

    /// <summary>
    /// Queues a callback with a state on the pool, under the caller's execution context. Works as
    /// <see cref="ThreadPool.QueueUserWorkItem(WaitCallback, object)"/>, except that an exception does not end the process.
    /// </summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem(WaitCallback, object)"/>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state = null) => DefaultClass.QueueUserWorkItem(callBack, state);

    /// <summary>
    /// Queues a callback with a state on the pool, under the caller's execution context. Works as <see cref="ThreadPool.QueueUserWorkItem{TState}"/>, except
    /// that an exception does not end the process.
    /// </summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem{TState}"/>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        DefaultClass.QueueUserWorkItem(callBack, state, preferLocal);

    /// <summary>Does the same as <see cref="QueueUserWorkItem(WaitCallback, object)"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem(WaitCallback, object)"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => DefaultClass.UnsafeQueueUserWorkItem(callBack, state);

    /// <summary>Does the same as <see cref="QueueUserWorkItem{TState}"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem{TState}"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        DefaultClass.UnsafeQueueUserWorkItem(callBack, state, preferLocal);

    /// <summary>
    /// The priority for the first request of a connection, among the new work of its class, as set by <see cref="AdaptivePoolOptions.NewConnectionPriority"/>.
    /// For servers that queue the requests of their connections themselves; the ASP.NET Core integration already queues requests this way.
    /// </summary>
    public WorkPriority NewConnectionPriority => _options.NewConnectionPriority ?? WorkPriority.Normal;

    /// <summary>The bound of each class that does not set its own.</summary>
    internal int MaxQueued => _options.MaxQueued ?? int.MaxValue;

    /// <summary>The longest wait in each class that does not set its own.</summary>
    internal TimeSpan MaxQueueTime => _options.MaxQueueTime ?? Timeout.InfiniteTimeSpan;

    /// <summary>Number of items of one transaction that go before new work, until one does not; <see cref="uint.MaxValue"/> for all, 0 for none.</summary>
    internal uint HighPriorityTickets { get; }

    /// <summary>Returns the priority that new work gets in this pool when its caller wants the given one.</summary>
    internal WorkPriority PriorityOf(WorkPriority wanted) =>
        wanted == WorkPriority.Normal || _options.HighPriorityMode == HighPriorityMode.Statements ? WorkPriority.Normal : wanted;

    internal static void CheckItem(IThreadPoolWorkItem item)
    {
        ArgumentNullException.ThrowIfNull(item);
        if (item is Task)
        {
            throw new ArgumentException("A task is not a work item of its own; start it with the pool's Scheduler.", nameof(item));
        }
    }

    internal void StartLongRunning(Task task, AdaptiveTaskScheduler scheduler)
    {
        Interlocked.Increment(ref _longRunning);
        End.BeginOutstanding();
        bool started = Set.TryStartThread(
            () =>
            {
                Set.EnterThread();
                try
                {
                    scheduler.Execute(task);
                }
                finally
                {
                    // The code that follows takes locks, and must not ask a context of the task.
                    SynchronizationContext.SetSynchronizationContext(null);
                    Interlocked.Decrement(ref _longRunning);
                    End.EndOutstanding();
                }
            },
            Name + " long running",
            out Exception? failure);
        if (!started)
        {
            Interlocked.Decrement(ref _longRunning);
            End.EndOutstanding();
            throw new InvalidOperationException("The system refused a thread for a LongRunning task.", failure);
        }
    }
}
