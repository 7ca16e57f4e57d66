using System.Runtime.CompilerServices;
using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <summary>
/// Items that behave alike: an endpoint, a kind of job. A class has a queue, a limit that the pool finds for it, and statistics of its own, so that a slow
/// class takes neither threads nor judgement from a fast one. Get one from <see cref="AdaptiveThreadPool.GetClass"/>.
/// </summary>
public sealed partial class WorkClass
{
    private const int AsThePool = -1;

    /// <summary>What runs by Run sees TaskScheduler.Default, as by Task.Run, from its start to its end: decision 17.</summary>
    private const TaskCreationOptions AsTaskRun = TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

    private int _onBlocking = AsThePool;

    internal WorkClass(AdaptiveThreadPool pool, ClassCore core, bool isDefault)
    {
        Pool = pool;
        Core = core;
        IsDefault = isDefault;
        Scheduler = new AdaptiveTaskScheduler(this);
        Factory = new TaskFactory(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, Scheduler);
        Context = new PoolSynchronizationContext(this, asTasks: false);
        TaskContext = new PoolSynchronizationContext(this, asTasks: true);
    }

    /// <summary>Name of the class.</summary>
    public string Name => Core.Name;

    /// <summary>The pool it belongs to.</summary>
    public AdaptiveThreadPool Pool { get; }

    /// <summary>Scheduler of the class.</summary>
    public AdaptiveTaskScheduler Scheduler { get; }

    /// <summary>Factory whose tasks run in this class.</summary>
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
            if (value is { } action)
            {
                AdaptiveThreadPool.ThrowIfUnknown(action);
            }

            Volatile.Write(ref _onBlocking, value is { } set ? (int)set : AsThePool);
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
            ? RunBounded(action, priority, bound, cancellationToken)
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
        if (BoundOfTask(priority, cancellationToken) is { } bound)
        {
            return RunBounded(function, priority, SchedulerFor(function), AsTaskRun, bound, cancellationToken);
        }

        var task = new Task<T>(function, cancellationToken, AsTaskRun);
        _ = Start(task, priority, SchedulerFor(function));
        return task;
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
            return StartInside(function, priority, cancellationToken).Unwrap();
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
            return StartInside(function, priority, cancellationToken).Unwrap();
        }

        ThrowIfRefused(priority);
        var item = new AsyncFunctionItem<T>(this, function, cancellationToken);
        Intake.Queue(this, item, priority, fair: false);
        return item.Task;
    }

    /// <summary>Queues an item as root work of this class, without allocation and without capturing the execution context.</summary>
    /// <param name="item">What to run; the same object may be queued again.</param>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="item"/> is a task; tasks are started with <see cref="Scheduler"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>), and the item is no <see cref="IRefusableWorkItem"/>, which would be told.
    /// </exception>
    public void UnsafeQueueUserWorkItem(IThreadPoolWorkItem item)
    {
        AdaptiveThreadPool.CheckItem(item);
        Intake.QueueNew(this, item, WorkPriority.Normal);
    }

    /// <summary>Queues an item as root work of this class with a priority, without allocation and without capturing the execution context.</summary>
    /// <inheritdoc cref="UnsafeQueueUserWorkItem(IThreadPoolWorkItem)"/>
    /// <param name="item">What to run; the same object may be queued again.</param>
    /// <param name="priority">Order among the root work of the class.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="priority"/> is none of those defined.</exception>
    public void UnsafeQueueUserWorkItem(IThreadPoolWorkItem item, WorkPriority priority)
    {
        AdaptiveThreadPool.CheckItem(item);
        CheckPriority(priority);
        Intake.QueueNew(this, item, priority);
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

    private Task Start(Task task, WorkPriority priority, AdaptiveTaskScheduler scheduler)
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

    /// <summary>Starts a function of a scheduler that is built on top of this class.</summary>
    private Task<T> StartInside<T>(Func<T> function, WorkPriority priority, CancellationToken cancellationToken)
    {
        AdaptiveTaskScheduler inner = Scheduler.WithoutSynchronizationContext;
        return BoundOfTask(priority, cancellationToken) is { } bound
            ? RunBounded(function, priority, inner, TaskCreationOptions.DenyChildAttach, bound, cancellationToken)
            : (Task<T>)Start(new Task<T>(function, cancellationToken, TaskCreationOptions.DenyChildAttach), priority, inner);
    }

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
}
