using System.Runtime.CompilerServices;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// Items that behave alike: an endpoint, a kind of job. A class has a queue, a limit that the pool finds for it, and statistics of its own, so that a slow
/// class takes neither threads nor judgement from a fast one. Get one from <see cref="AdaptiveThreadPool.GetClass"/>.
/// </summary>
/// <remarks>The calls of the runtime's <see cref="ThreadPool"/> are here under their names, so that a program changes pools by changing the receiver.</remarks>
public sealed partial class WorkClass
{
    private const int AsThePool = -1;
    private const int MostWeight = 1_000;

    /// <summary>What runs by Run sees TaskScheduler.Default, as by Task.Run, from its start to its end: decision 17.</summary>
    private const TaskCreationOptions AsTaskRun = TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

    private readonly Lock _weighing = new();
    private int _onBlocking = AsThePool;

    internal WorkClass(AdaptiveThreadPool pool, ClassCore core, bool isDefault)
    {
        Pool = pool;
        Core = core;
        IsDefault = isDefault;
        Scheduler = new AdaptiveTaskScheduler(this);
        Factory = new TaskFactory(Scheduler);
        Context = new PoolSynchronizationContext(this, asTasks: false);
        TaskContext = new PoolSynchronizationContext(this, asTasks: true);
    }

    /// <summary>Name of the class.</summary>
    public string Name => Core.Name;

    /// <summary>The pool it belongs to.</summary>
    public AdaptiveThreadPool Pool { get; }

    /// <summary>Scheduler of the class.</summary>
    public AdaptiveTaskScheduler Scheduler { get; }

    /// <summary>Factory whose tasks run in this class; its options are those of <see cref="Task.Factory"/>, so that a child may attach to its parent.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Awaits under this context come back to the pool as in-flight work, without a task per await. Work items of the class run under it.</summary>
    public SynchronizationContext SynchronizationContext => Context;

    /// <summary>
    /// What happens when an item of the class blocks its worker in a managed wait. Default <see langword="null"/>: what
    /// <see cref="AdaptivePoolOptions.BlockingAction"/> says. May be changed at any time. <see cref="AdaptiveThreadPool.CurrentBlockingAction"/> beats it.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is no <see cref="BlockingAction"/>.</exception>
    public BlockingAction? BlockingAction
    {
        get => Volatile.Read(ref _onBlocking) is >= 0 and var action ? (BlockingAction)action : null;
        set
        {
            AdaptiveThreadPool.ThrowIfUnknown(value);
            Volatile.Write(ref _onBlocking, (int?)value ?? AsThePool);
        }
    }

    /// <summary>
    /// Part of the CPU that the class gets beside other classes with a weight while all of them have more work than there is CPU: weights of 3 and 1 give 75
    /// and 25 %. 1 to 1,000. Default <see langword="null"/>: none, and the class takes no part. A higher value takes more from the others. May be changed at
    /// any time; holds for what is used from then on.
    /// </summary>
    /// <remarks>
    /// What counts is the CPU time of the threads that run items of the class, what follows their awaits included. Items are not interrupted: the next to start
    /// is of the class that is owed most, so that over any time shares are off by about one item for each core. All classes with a weight together run about
    /// one root item for each core at once; one that waits makes room for another. A class that had nothing to do does not get what it left unused.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int? Weight
    {
        get => Core.Share is { Weight: var weight } ? weight : null;
        set
        {
            if (value is < 1 or > MostWeight)
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, $"{nameof(Weight)} of class '{Name}' is {value}; allowed: 1 to {MostWeight}.");
            }

            lock (_weighing)
            {
                Pool.Set.SetWeight(Core, value ?? 0, Pool.Sizing.SharedSlots);
            }
        }
    }

    /// <summary>What to do about a wait of the code that runs now.</summary>
    internal BlockingAction ActionOnBlocking => AdaptiveThreadPool.FlowedBlockingAction ?? BlockingAction ?? Pool.BlockingAction;

    internal ClassCore Core { get; }

    internal bool IsDefault { get; }

    internal PoolSynchronizationContext Context { get; }

    /// <summary>Context of tasks that return nothing, hence await nothing that a caller waits for.</summary>
    internal SynchronizationContext TaskContext { get; }

    /// <summary>Runs an action in this class: as root work, or in flight when a running item of the class or the holder of a permit queues it.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="priority">
    /// Order among the root work of the class; nothing for work in flight, such as what is queued inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">Cancels the action as long as it has not started.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// The returned task faults with it: too many items wait (<see cref="MaxQueued"/>), or the action waited too long (<see cref="MaxQueueTime"/>).
    /// </exception>
    public Task Run(Action action, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return BoundOfTask(priority, cancellationToken) is { } bound
            ? RunBounded(Returns(action), priority, SchedulerFor(action), AsTaskRun, bound, cancellationToken)
            : Start(new Task(action, cancellationToken, AsTaskRun), priority, SchedulerFor(action));
    }

    /// <summary>Runs a function in this class.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">What to run.</param>
    /// <param name="priority">
    /// Order among the root work of the class; nothing for work in flight, such as what is queued inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started.</param>
    public Task<T> Run<T>(Func<T> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Start(function, priority, SchedulerFor(function), AsTaskRun, cancellationToken);
    }

    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">What to run.</param>
    /// <param name="priority">
    /// Order among the root work of the class; nothing for work in flight, such as what is queued inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started.</param>
    [OverloadResolutionPriority(1)]
    public Task Run(Func<Task> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (SchedulerCode.Contains(function.Target))
        {
            return Start(function, priority, Scheduler.WithoutSynchronizationContext, TaskCreationOptions.DenyChildAttach, cancellationToken).Unwrap();
        }

        ThrowIfRefused(priority);
        var item = new AsyncActionItem(this, function, cancellationToken);
        Intake.Queue(this, item, priority, fair: false);
        return item.Task;
    }

    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">What to run.</param>
    /// <param name="priority">
    /// Order among the root work of the class; nothing for work in flight, such as what is queued inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">Cancels the function as long as it has not started.</param>
    [OverloadResolutionPriority(1)]
    public Task<T> Run<T>(Func<Task<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (SchedulerCode.Contains(function.Target))
        {
            return Start(function, priority, Scheduler.WithoutSynchronizationContext, TaskCreationOptions.DenyChildAttach, cancellationToken).Unwrap();
        }

        ThrowIfRefused(priority);
        var item = new AsyncFunctionItem<T>(this, function, cancellationToken);
        Intake.Queue(this, item, priority, fair: false);
        return item.Task;
    }

    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <remarks>An asynchronous lambda is taken for one that returns a <see cref="Task"/>, wherever it can be one.</remarks>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        Run(AsFunction(function), priority, cancellationToken);

    /// <summary>Runs an asynchronous function in this class; what follows its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run{T}(Func{Task{T}}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        Run(AsFunction(function), priority, cancellationToken);

    /// <summary>
    /// Queues an item as root work of this class, without allocation and without capturing the execution context. Also where an item of the class calls it: a
    /// server reads the next request on the worker where the one before has ended. What continues an item goes by
    /// <see cref="UnsafeQueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>.
    /// </summary>
    /// <param name="item">What to run; the same object may be queued again.</param>
    /// <param name="priority">Order among the root work of the class.</param>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="item"/> is a task; tasks are started with <see cref="Scheduler"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>), and the item is no <see cref="IRefusableWorkItem"/>, which would be told.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="priority"/> is none of those defined.</exception>
    public void UnsafeQueueRootWork(IThreadPoolWorkItem item, WorkPriority priority = WorkPriority.Normal)
    {
        AdaptiveThreadPool.CheckItem(item);
        CheckPriority(priority);
        Intake.QueueNew(this, RootPlace.Of(priority), item);
    }

    /// <summary>
    /// A view of this class that runs one item at a time, in order, without a thread of its own. Each call makes a sequence of its own; its items count as
    /// items of this class.
    /// </summary>
    public SequentialView AsSequential() => new(this);

    /// <summary>
    /// A context of its own for a task that may await. The runtime runs a continuation inline when the context it was captured under is the current one, and
    /// sets TaskScheduler.Current to the default for it; under an instance that nobody has captured it posts, and the continuation finds the scheduler of its
    /// class.
    /// </summary>
    internal SynchronizationContext NewTaskContext() => new PoolSynchronizationContext(this, asTasks: true);

    /// <summary>State of the class at this moment.</summary>
    public WorkClassSnapshot GetSnapshot() => Pool.Describe(Core, Core.Queue.Count);

    /// <summary>Code of a scheduler that is built on top of this class must not see the context.</summary>
    private AdaptiveTaskScheduler SchedulerFor(Delegate function) =>
        SchedulerCode.Contains(function.Target) ? Scheduler.WithoutSynchronizationContext : Scheduler;

    private static TTask Start<TTask>(TTask task, WorkPriority priority, AdaptiveTaskScheduler scheduler)
        where TTask : Task
    {
        try
        {
            scheduler.Start(task, priority);
        }
        catch (InvalidOperationException) when (task.IsCanceled)
        {
            // The token was cancelled before the start: the caller gets the cancelled task, as from Task.Run.
        }

        return task;
    }

    private Task<T> Start<T>(
        Func<T> function, WorkPriority priority, AdaptiveTaskScheduler scheduler, TaskCreationOptions options, CancellationToken cancellationToken) =>
        BoundOfTask(priority, cancellationToken) is { } bound
            ? RunBounded(function, priority, scheduler, options, bound, cancellationToken)
            : Start(new Task<T>(function, cancellationToken, options), priority, scheduler);

    /// <summary>Refuses what the caller brings. Before anything is made of it: what is never queued would stay registered with its token.</summary>
    private void ThrowIfRefused(WorkPriority priority)
    {
        CheckPriority(priority);
        Intake.ThrowIfRefused(this);
    }

    private static void CheckPriority(WorkPriority priority)
    {
        if (priority is < WorkPriority.Low or > WorkPriority.High)
        {
            throw new ArgumentOutOfRangeException(nameof(priority), priority, "The priority must be Low, Normal or High.");
        }
    }

    /// <summary>
    /// Queues a callback in this class, with a state, under the caller's execution context; as
    /// <see cref="ThreadPool.QueueUserWorkItem(WaitCallback, object)"/>, but an exception does not end the process.
    /// </summary>
    /// <param name="callBack">
    /// What to run. What it throws is told by <see cref="AdaptiveThreadPool.Faulted"/> and counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </param>
    /// <param name="state">What the callback gets.</param>
    /// <returns>Always <see langword="true"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>). One that waited too long (<see cref="MaxQueueTime"/>) raises <see cref="AdaptiveThreadPool.Faulted"/>
    /// with it.
    /// </exception>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state = null)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return QueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>
    /// Queues a callback in this class, with a state, under the caller's execution context; as <see cref="ThreadPool.QueueUserWorkItem{TState}"/>, but an
    /// exception does not end the process.
    /// </summary>
    /// <typeparam name="TState">Type of the state.</typeparam>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    /// <param name="callBack">
    /// What to run. What it throws is told by <see cref="AdaptiveThreadPool.Faulted"/> and counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </param>
    /// <param name="state">What the callback gets.</param>
    /// <param name="preferLocal">
    /// Whether it goes into the calling worker's own queue, where the newest runs first, when it continues an item of this class that runs. Otherwise, and from
    /// other threads, it waits in FIFO order.
    /// </param>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, ExecutionContext.Capture()), preferLocal);
    }

    /// <summary>As <see cref="QueueUserWorkItem(WaitCallback, object)"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return UnsafeQueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>As <see cref="QueueUserWorkItem{TState}"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem{TState}"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, flow: null), preferLocal);
    }

    private bool Queue(IThreadPoolWorkItem item, bool preferLocal)
    {
        Intake.Queue(this, item, WorkPriority.Normal, fair: !preferLocal);
        return true;
    }
}
