using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// The task scheduler of one work class. Tasks from outside are root work of the class. Tasks that a running item queues are in-flight work, and the newest
/// runs first. With PreferFairness, tasks wait in a FIFO queue that all workers share; tasks that are started inside a transaction that holds a permit of a
/// gate wait there, too. With LongRunning, a task gets its own thread. Tasks run inline only on workers of the pool, and once it is disposed on threads of the
/// runtime's pool. The thread that completes a task queues its continuations (ContinueWith). So the completing caller, and not the creator of the continuation,
/// decides which of these cases applies. The scheduler refuses no task: once the pool is disposed, tasks that are queued from outside run on the runtime's
/// pool.
/// </summary>
/// <remarks>
/// If you build your own task scheduler on top of this one, hide the pool's synchronization context from its tasks. Otherwise their awaits return to the pool
/// and not to your scheduler; see <see cref="WithoutSynchronizationContext"/>. A <see cref="ConcurrentExclusiveSchedulerPair"/> needs nothing.
/// </remarks>
public sealed class AdaptiveTaskScheduler : TaskScheduler
{
    private static readonly int s_mostAtOnce = Math.Max(512, 64 * Environment.ProcessorCount);

    /// <summary>Whether a task was ever started with a place. A read of this field costs nothing; a read of a field of the thread costs 3 ns.</summary>
    private static bool s_knowsPlaces;

    [ThreadStatic]
    private static (Task? Task, RootPlace Place) t_started;

    private AdaptiveTaskScheduler? _withoutContext;

    internal AdaptiveTaskScheduler(WorkClass owner, bool hidesContext = false)
    {
        Owner = owner;
        HidesContext = hidesContext;
    }

    /// <summary>
    /// The pool's <see cref="AdaptivePoolOptions.MaxThreads"/>, limited to 512 or to 64 for each processor, whichever is more. <see cref="Parallel"/> divides a
    /// loop into this many ranges, and runs no more bodies at once, whatever <see cref="ParallelOptions.MaxDegreeOfParallelism"/> says. With the maximum number
    /// of threads, a small loop would have one range for each iteration. With the number of processors, bodies that block would wait for each other
    /// (docs/performance.md). A <see cref="ConcurrentExclusiveSchedulerPair"/> uses the value as its own bound.
    /// </summary>
    public override int MaximumConcurrencyLevel => Math.Min(Owner.Pool.Set.MaxThreads, s_mostAtOnce);

    /// <summary>
    /// A scheduler for the same class, for task schedulers that are built on top of it. Its tasks run without a <see cref="SynchronizationContext"/>, so awaits
    /// inside them return to the scheduler that runs them. The price is a task for each await, and that the monitor detects a wait instead of the wait hook,
    /// which would detect it at once. On such a scheduler, the property returns the scheduler itself.
    /// </summary>
    /// <remarks>
    /// Pass it to libraries that take a target scheduler. If your scheduler runs its tasks in a work item or inline on a worker, call
    /// <see cref="SynchronizationContext.SetSynchronizationContext"/> with <see langword="null"/> before <see cref="TaskScheduler.TryExecuteTask"/>. Workers
    /// set the context again for each item. A class derived from <see cref="TaskScheduler"/> may queue a lambda or an item type that is written inside it by
    /// <c>Run</c> or <c>UnsafeQueueUserWorkItem</c>. These run without the context anyway, and so does a <see cref="ConcurrentExclusiveSchedulerPair"/> on any
    /// scheduler of a pool.
    /// </remarks>
    public AdaptiveTaskScheduler WithoutSynchronizationContext => HidesContext ? this : Volatile.Read(ref _withoutContext)
        ?? LazyInitializer.EnsureInitialized(ref _withoutContext, () => new AdaptiveTaskScheduler(Owner, hidesContext: true));

    /// <summary>The class whose tasks these are.</summary>
    internal WorkClass Owner { get; }

    /// <summary>Whether tasks run without the pool's context.</summary>
    internal bool HidesContext { get; }

    /// <summary>
    /// Whether a queue that does not store this scheduler may hold the task itself. Workers run such a task with the scheduler of the class whose slot they
    /// hold.
    /// </summary>
    private bool IsMainOfDefault => Owner.IsDefault && !HidesContext;

    /// <summary>
    /// Whether the calling thread, which is no worker, may run a task that it waits for. A thread of the runtime's pool must run it after the end, when there
    /// is no limit and no hook to observe, and in a task that runs there because the pool is closed. Otherwise each child that the thread waits for would
    /// hold one more thread.
    /// </summary>
    private bool MayRunOutside => Thread.CurrentThread.IsThreadPoolThread
        && (Owner.Pool.Set.Stopped || (Owner.Pool.IsClosed && Current is AdaptiveTaskScheduler { Owner.Pool: var pool } && pool == Owner.Pool));

    /// <summary>Runs a queued task on the calling thread. Does nothing when the task has been cancelled or has run inline meanwhile.</summary>
    [BypassReadyToRun]
    internal void Execute(Task task)
    {
        // A task that was cancelled counts as executed, in whichever queue it was.
        if ((!TryExecuteTask(task) || task.IsCanceled) && task.AsyncState is BoundedFunction bounded)
        {
            bounded.Pass();
        }
    }

    /// <summary>Runs a task that was handed over, on the calling thread. That thread belongs to the runtime's pool, which takes the context away
    /// again.</summary>
    internal void ExecuteHandedOver(Task task)
    {
        SynchronizationContext.SetSynchronizationContext(ContextOutside(task));
        Execute(task);
    }

    /// <summary>
    /// Runs an action on the calling thread inside a task of this scheduler, at any depth of the stack. A task that could not be inlined would wait for the
    /// thread that waits for it.
    /// </summary>
    internal void RunHere(Action<object?> action, object state)
    {
        var carrier = new CarrierTask(action, state);
        carrier.Start(this);
        TryExecuteTask(carrier);
    }

    /// <summary>Starts a task that has a place of its own, if it is root work.</summary>
    internal void Start(Task task, in RootPlace place)
    {
        if (place is { Tenant: null, Route: null } && Owner.Pool.PriorityOf(place.Priority) == WorkPriority.Normal)
        {
            task.Start(this);
            return;
        }

        // QueueTask runs inside Start, on this thread. Only a static field of the thread can hand it more than the task. The field also holds the task, and
        // only for the time of its own start: the runtime notifies listeners of each start before QueueTask, and they may start tasks too.
        s_knowsPlaces = true;
        (Task?, RootPlace) outer = t_started;
        t_started = (task, place);
        try
        {
            task.Start(this);
        }
        finally
        {
            t_started = outer;
        }
    }

    /// <inheritdoc/>
    [BypassReadyToRun]
    protected override void QueueTask(Task task)
    {
        if (task is CarrierTask)
        {
            // The thread that starts the task runs it.
            return;
        }

        TaskCreationOptions options = task.CreationOptions;
        Origin origin = Intake.Of(Owner, out Worker? worker);
        if (origin == Origin.InFlight
            && (options & (TaskCreationOptions.LongRunning | TaskCreationOptions.PreferFairness)) == TaskCreationOptions.None)
        {
            worker!.PushLocal(NewItem(task, IsMainOfDefault), fair: false);
            return;
        }

        QueueElsewhere(task, options, origin);
    }

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (taskWasPreviouslyQueued && (task.CreationOptions & TaskCreationOptions.LongRunning) != TaskCreationOptions.None)
        {
            // The task has a thread of its own.
            return false;
        }

        if (Worker.CurrentOf(Owner.Pool.Set) is not { } worker)
        {
            return MayRunOutside && TryExecuteOutside(task);
        }

        if (taskWasPreviouslyQueued)
        {
            // The usual case of fork and join. An entry in another queue stays there and is skipped later: running the task again has no effect.
            worker.Local.TryRemove(task);
        }

        // There is no such context inside an item without the pool's context, such as a task of another scheduler, or under a context that the user has set.
        var outer = SynchronizationContext.Current as PoolSynchronizationContext;
        WorkClass? outerOwner = worker.ItemOwner;
        int scopes = worker.OpenScopes;
        if (outer is not null)
        {
            worker.Enter(task, this);
        }

        bool wasBounded = taskWasPreviouslyQueued && Owner.WasBounded;
        if (wasBounded)
        {
            BoundedFunction.Inlined = task.AsyncState as BoundedFunction;
        }

        try
        {
            return TryExecuteTask(task);
        }
        finally
        {
            if (wasBounded)
            {
                BoundedFunction.Inlined = null;
            }

            if (outer is not null)
            {
                worker.Enter(outer, outerOwner);
            }

            // The task is an item of its own, also where it runs inside another one.
            worker.CloseScopes(scopes);
        }
    }

    /// <summary>
    /// Lets a cancelled task end at once instead of when its turn comes. Its queue entry stays and is skipped later: the runtime decides between start and
    /// cancellation by one atomic step of the task.
    /// </summary>
    protected override bool TryDequeue(Task task) => true;

    /// <summary>
    /// Gets the tasks of this scheduler that wait, for the debugger. It waits for no lock of the pool. The queues of the framework take their own locks only
    /// while they grow, as in the runtime's own pool.
    /// </summary>
    /// <exception cref="NotSupportedException">A thread is just queueing or taking work of a tenant of the class.</exception>
    protected override IEnumerable<Task> GetScheduledTasks()
    {
        WorkerSet set = Owner.Pool.Set;

        // No task is in the other queue of a worker.
        IEnumerable<object> shared = set.InFlight.Queue.Items.Concat(set.Workers.OfType<Worker>().SelectMany(static worker => worker.Local.Items));
        IEnumerable<object> root = Owner.Core.Queue.Items.Select(static item => item is HeldBackItem { Item: { } held } ? held : item);
        IEnumerable<object> mine = HidesContext ? [] : IsMainOfDefault ? root.Concat(shared) : root;
        IEnumerable<ScheduledTask> scheduled = root.Concat(shared).OfType<ScheduledTask>().Where(item => ReferenceEquals(item.Scheduler, this));
        return [.. mine.OfType<Task>(), .. scheduled.Select(static item => item.Task)];
    }

    /// <summary>The place of a task that is being started, if it is root work; <see langword="null"/> for the usual place of its class.</summary>
    private static RootPlace? PlaceOf(Task task) => s_knowsPlaces && t_started is var (started, place) && ReferenceEquals(started, task) ? place : null;

    private bool TryExecuteOutside(Task task)
    {
        // As on a worker, the task gets no context inside code that has none. Code inside the task may be part of that code, and its awaits would return to
        // this pool.
        if (SynchronizationContext.Current is not PoolSynchronizationContext)
        {
            return TryExecuteTask(task);
        }

        using var under = new UnderContext(ContextOutside(task));
        return TryExecuteTask(task);
    }

    // The context of a worker, but none while the pool drains: code after the awaits of a task from outside would return to the pool, and delay its end
    // (ADR 18).
    private SynchronizationContext? ContextOutside(Task task) => Owner.Pool.Set.Stopped ? Worker.ContextOf(task, this) : null;

    // Separate from the code that forks, which is then short enough to be inlined into the start of a task.
    [BypassReadyToRun]
    private void QueueElsewhere(Task task, TaskCreationOptions options, Origin origin)
    {
        AdaptiveThreadPool pool = Owner.Pool;

        // Not HasFlag: it takes memory until the method is compiled for good.
        bool isLongRunning = (options & TaskCreationOptions.LongRunning) != TaskCreationOptions.None;
        switch (origin)
        {
            case Origin.AfterTheEnd:
                // The task may be code after an await of accepted work. If it were refused, the function would be lost, and the process would end where a
                // channel or a timer resumes it.
                pool.Set.HandOver(NewItem(task, !HidesContext), Owner);
                break;

            case var _ when isLongRunning:
                pool.StartLongRunning(task, this);
                break;

            case Origin.Transaction when !Intake.TakesTicket(pool):
                Owner.QueueHeldBack(new ScheduledTask(task, this), PlaceOf(task) ?? RootPlace.Normal);
                break;

            case Origin.InFlight or Origin.Transaction:
                pool.Set.QueueInFlight(NewItem(task, IsMainOfDefault));
                break;

            case var _ when PlaceOf(task) is { } place:
                Owner.Enqueue(NewItem(task, !HidesContext), place);
                break;

            default:
                pool.Set.QueueRoot(Owner.Core, NewItem(task, !HidesContext), RootPlace.Normal);
                break;
        }
    }

    [BypassReadyToRun]
    private object NewItem(Task task, bool asItIs) => asItIs ? task : new ScheduledTask(task, this);
}
