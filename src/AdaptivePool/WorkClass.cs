using System.Globalization;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// A group of items that behave alike, such as the requests of an endpoint or the jobs of one kind. Each class has its own queue, its own limit, which the pool
/// finds, and its own statistics. So a slow class neither takes threads from a fast class nor distorts its measurements. Get a class from
/// <see cref="AdaptiveThreadPool.GetClass"/>.
/// </summary>
/// <remarks>
/// Root work is new work. In-flight work continues work that has already started, such as the code after an await. The methods of the runtime's
/// <see cref="ThreadPool"/> that take a callback exist here under the same names, so a program can change pools by changing the receiver of the call.
/// </remarks>
public sealed partial class WorkClass
{
    private const int AsThePool = -1;
    private const int MostWeight = 1_000;

    /// <summary>Code that Run starts sees TaskScheduler.Default, as with Task.Run, from its start to its end: decision 17.</summary>
    private const TaskCreationOptions AsTaskRun = TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

    /// <summary>
    /// The name under which snapshots and metrics show the work that continues work that has already started. No class can have it:
    /// <see cref="AdaptiveThreadPool.GetClass"/> refuses it.
    /// </summary>
    public const string InFlightName = "(in flight)";

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

    /// <summary>The name of the class.</summary>
    public string Name => Core.Name;

    /// <summary>The pool that the class belongs to.</summary>
    public AdaptiveThreadPool Pool { get; }

    /// <summary>The task scheduler of the class.</summary>
    public AdaptiveTaskScheduler Scheduler { get; }

    /// <summary>
    /// A task factory whose tasks run in this class. Its options are those of <see cref="Task.Factory"/>, so a child task may attach to its parent.
    /// </summary>
    public TaskFactory Factory { get; }

    /// <summary>
    /// The synchronization context of the class. Under this context, code after an await returns to the pool as in-flight work, without a task for each await.
    /// Work items of the class run under it.
    /// </summary>
    public SynchronizationContext SynchronizationContext => Context;

    /// <summary>
    /// What happens when an item of the class blocks its worker in a managed wait. Default <see langword="null"/>: the value of
    /// <see cref="AdaptivePoolOptions.BlockingAction"/>. May be changed at any time. <see cref="AdaptiveThreadPool.CurrentBlockingAction"/> takes precedence.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a defined <see cref="BlockingAction"/>.</exception>
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
    /// The weight of the class when it shares the CPU with other classes that have a weight, while all of them have more work than the CPU can do. Weights of 3
    /// and 1 give 75 and 25 % of the CPU. 1 to 1,000. Default <see langword="null"/>: no weight, and the class does not take part in the sharing. A higher
    /// value takes more CPU from the other classes. May be changed at any time; the new weight applies to CPU time used from then on.
    /// </summary>
    /// <remarks>
    /// The pool counts the CPU time of the threads that run items of the class, including the code after their awaits. It does not interrupt items. The next
    /// item to start belongs to the class that has received the least compared with its share. So over any time the shares are exact to about one item for each
    /// core. All classes with a weight together run about one root item for each core at once; an item that waits makes room for another one. A class that had
    /// no work does not get its unused share later.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int? Weight
    {
        get => Core.Share is { Weight: var weight } ? weight : null;
        set
        {
            if (value is < 1 or > MostWeight)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value),
                    value,
                    string.Create(CultureInfo.InvariantCulture, $"{nameof(Weight)} of class '{Name}' is {value}; allowed: 1 to {MostWeight}."));
            }

            lock (_weighing)
            {
                Pool.Set.SetWeight(Core, value ?? 0, Pool.Sizing.SharedSlots);
            }
        }
    }

    /// <summary>The action for a wait of the code that runs now.</summary>
    internal BlockingAction ActionOnBlocking => AdaptiveThreadPool.FlowedBlockingAction ?? BlockingAction ?? Pool.BlockingAction;

    internal ClassCore Core { get; }

    internal bool IsDefault { get; }

    internal PoolSynchronizationContext Context { get; }

    /// <summary>The context of tasks that return nothing. Such a task awaits nothing that a caller waits for.</summary>
    internal SynchronizationContext TaskContext { get; }

    /// <summary>
    /// Runs an action in this class. The action is in-flight work if a running item of the class or the holder of a permit queues it, and root work otherwise.
    /// In the default class it is in-flight work if any running item of the pool queues it.
    /// </summary>
    /// <param name="action">The action to run.</param>
    /// <param name="priority">
    /// The order among the root work of the class. It has no effect on in-flight work, such as work that is queued inside a transaction that holds a permit of
    /// a <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">A token that cancels the action if it has not started.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    /// <exception cref="WorkRefusedException">
    /// The returned task faults with this exception if too many items wait (<see cref="MaxQueued"/>), or if the action has waited too long
    /// (<see cref="MaxQueueTime"/>).
    /// </exception>
    public Task Run(Action action, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        RunTask(RootPlace.Of(priority), action, cancellationToken);

    /// <summary>Runs a function in this class.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">The function to run.</param>
    /// <param name="priority">
    /// The order among the root work of the class. It has no effect on in-flight work, such as work that is queued inside a transaction that holds a permit of
    /// a <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started.</param>
    public Task<T> Run<T>(Func<T> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        RunTask(RootPlace.Of(priority), function, cancellationToken);

    /// <summary>Runs an asynchronous function in this class. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">The function to run.</param>
    /// <param name="priority">
    /// The order among the root work of the class. It has no effect on in-flight work, such as work that is queued inside a transaction that holds a permit of
    /// a <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started.</param>
    [OverloadResolutionPriority(1)]
    public Task Run(Func<Task> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(priority), function, cancellationToken);

    /// <summary>Runs an asynchronous function in this class. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run(Action, WorkPriority, CancellationToken)"/>
    /// <param name="function">The function to run.</param>
    /// <param name="priority">
    /// The order among the root work of the class. It has no effect on in-flight work, such as work that is queued inside a transaction that holds a permit of
    /// a <see cref="Admission.TransactionGate"/>.
    /// </param>
    /// <param name="cancellationToken">A token that cancels the function if it has not started.</param>
    [OverloadResolutionPriority(1)]
    public Task<T> Run<T>(Func<Task<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        RunAt(RootPlace.Of(priority), function, cancellationToken);

    /// <summary>Runs an asynchronous function in this class. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <remarks>The compiler treats an asynchronous lambda as one that returns a <see cref="Task"/>, wherever that is possible.</remarks>
    /// <inheritdoc cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        Run(function.AsFunction(), priority, cancellationToken);

    /// <summary>Runs an asynchronous function in this class. Code after its awaits runs on the pool too, as in-flight work.</summary>
    /// <inheritdoc cref="Run{T}(Func{Task{T}}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        Run(function.AsFunction(), priority, cancellationToken);

    /// <summary>
    /// Queues an item as root work of this class, without an allocation and without capturing the execution context. The item is root work even if an item of
    /// the class makes the call: a server reads the next request on the worker where the previous request has ended. For items that continue the running item,
    /// use <see cref="UnsafeQueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>. Inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/> it is in-flight work.
    /// </summary>
    /// <param name="item">The item to run. The same object may be queued again.</param>
    /// <param name="priority">The order among the root work of the class.</param>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="item"/> is a task. Start tasks with <see cref="Scheduler"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>). Not thrown for an <see cref="IRefusableWorkItem"/>, which is notified instead.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="priority"/> is not a defined value.</exception>
    public void UnsafeQueueRootWork(IThreadPoolWorkItem item, WorkPriority priority = WorkPriority.Normal)
    {
        AdaptiveThreadPool.CheckItem(item);
        CheckPriority(priority);
        Intake.QueueNew(this, RootPlace.Of(priority), item);
    }

    /// <summary>
    /// Creates a view of this class that runs one item at a time, in order, without a thread of its own. Each call creates a separate sequence. The items of a
    /// view count as items of this class.
    /// </summary>
    public SequentialView AsSequential() => new(this);

    /// <summary>
    /// Creates a separate context for a task that may await. The runtime runs a continuation inline when the context under which it was captured is the
    /// current one, and sets TaskScheduler.Current to the default for it. When the current context is an instance under which nothing was captured, the
    /// runtime posts the continuation, which then finds the scheduler of its class.
    /// </summary>
    internal SynchronizationContext NewTaskContext()
    {
        try
        {
            return new PoolSynchronizationContext(this, asTasks: true);
        }
        catch (OutOfMemoryException)
        {
            // The item for which the context is created has been taken, and must run.
            return TaskContext;
        }
    }

    /// <summary>Gets the state of the class at this moment.</summary>
    public WorkClassSnapshot GetSnapshot() => Pool.Describe(Core, Core.Queue.Count);

    /// <summary>Returns the scheduler for a function. Code of a scheduler that is built on top of this class must not see the context.</summary>
    private AdaptiveTaskScheduler SchedulerFor(Delegate function) =>
        SchedulerCode.Contains(function) ? Scheduler.WithoutSynchronizationContext : Scheduler;

    /// <summary>The same for an asynchronous function.</summary>
    private static FunctionSurroundings SurroundingsOf(Delegate function) =>
        SchedulerCode.Contains(function) ? FunctionSurroundings.Scheduler : FunctionSurroundings.Class;

    // A function that returns no task runs as a task of the scheduler: a worker that waits for it can run it.
    private Task RunTask(in RootPlace place, Action action, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(action);
        return BoundOfTask(place.Priority, cancellationToken) is { } bound
            ? RunBounded(action.AsValue(), place, bound, cancellationToken)
            : Start(new Task(action, cancellationToken, AsTaskRun), place, SchedulerFor(action));
    }

    private Task<T> RunTask<T>(in RootPlace place, Func<T> function, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        return BoundOfTask(place.Priority, cancellationToken) is { } bound
            ? RunBounded(function, place, bound, cancellationToken)
            : Start(new Task<T>(function, cancellationToken, AsTaskRun), place, SchedulerFor(function));
    }

    private static TTask Start<TTask>(TTask task, in RootPlace place, AdaptiveTaskScheduler scheduler)
        where TTask : Task
    {
        try
        {
            scheduler.Start(task, place);
        }
        catch (InvalidOperationException) when (task.IsCanceled)
        {
            // The token was cancelled before the start: the caller gets the cancelled task, as from Task.Run.
        }

        return task;
    }

    /// <summary>Refuses the caller's work. It does so before a task is created: a task that is never queued would stay registered with its token.</summary>
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
    /// Queues a callback with a state in this class, under the caller's execution context. Works as
    /// <see cref="ThreadPool.QueueUserWorkItem(WaitCallback, object)"/>, except that an exception does not end the process.
    /// </summary>
    /// <param name="callBack">
    /// The callback to run. <see cref="AdaptiveThreadPool.Faulted"/> reports an exception from it, and <see cref="PoolSnapshot.Faulted"/> counts it.
    /// </param>
    /// <param name="state">The argument of the callback.</param>
    /// <returns>Always <see langword="true"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed, and the caller is not on a worker of it.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>). If an item has waited too long (<see cref="MaxQueueTime"/>), <see cref="AdaptiveThreadPool.Faulted"/> is
    /// raised with this exception.
    /// </exception>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state = null)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return QueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>
    /// Queues a callback with a state in this class, under the caller's execution context. Works as <see cref="ThreadPool.QueueUserWorkItem{TState}"/>, except
    /// that an exception does not end the process.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    /// <param name="callBack">
    /// The callback to run. <see cref="AdaptiveThreadPool.Faulted"/> reports an exception from it, and <see cref="PoolSnapshot.Faulted"/> counts it.
    /// </param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="preferLocal">
    /// <see langword="true"/> to put the callback into the calling worker's own queue, where the newest runs first, if it continues a running item of this
    /// class. In all other cases it waits in FIFO order.
    /// </param>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, ExecutionContext.Capture()), preferLocal);
    }

    /// <summary>Does the same as <see cref="QueueUserWorkItem(WaitCallback, object)"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return UnsafeQueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>Does the same as <see cref="QueueUserWorkItem{TState}"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem{TState}"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, flow: null), preferLocal);
    }

    private bool Queue(IThreadPoolWorkItem item, bool preferLocal)
    {
        Intake.Queue(this, item, RootPlace.Normal, fair: !preferLocal);
        return true;
    }
}
