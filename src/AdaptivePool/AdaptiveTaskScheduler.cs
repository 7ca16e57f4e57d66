using AdaptivePool.Workers;

namespace AdaptivePool;

/// <summary>
/// The scheduler of one work class. Tasks from outside are root work of the class; tasks that a running item queues are in-flight work and run newest first; PreferFairness means a FIFO
/// that all workers share, in which those started inside a transaction that holds a permit of a gate wait too; LongRunning means a thread of its own. Tasks run inline only on workers of the pool.
/// A continuation (ContinueWith) is queued by whoever completes the task before it, so that caller decides which of these it is, and not who made the continuation.
/// </summary>
public sealed class AdaptiveTaskScheduler : TaskScheduler
{
    /// <summary>Whether a task was ever started with a priority: a read of this costs nothing, one of the thread's own 3 ns.</summary>
    private static bool s_knowsPriorities;

    [ThreadStatic]
    private static WorkPriority? t_priority;

    private readonly WorkClass _owner;

    internal AdaptiveTaskScheduler(WorkClass owner) => _owner = owner;

    /// <summary>The pool's upper bound of threads.</summary>
    public override int MaximumConcurrencyLevel => _owner.Pool.Set.MaxThreads;

    /// <summary>Runs a queued task on the calling thread; does nothing when it has been cancelled or has run inline since.</summary>
    internal void Execute(Task task) => TryExecuteTask(task);

    /// <summary>Starts a task with a priority.</summary>
    internal void Start(Task task, WorkPriority priority)
    {
        if (priority == WorkPriority.Normal)
        {
            // QueueTask calls nobody who could start another task, so none is in force here.
            task.Start(this);
            return;
        }

        // QueueTask runs inside Start, on this thread; a static of the thread is the only way to hand it more than the task.
        s_knowsPriorities = true;
        t_priority = priority;
        try
        {
            task.Start(this);
        }
        finally
        {
            t_priority = null;
        }
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task)
    {
        AdaptiveThreadPool pool = _owner.Pool;
        if (task.CreationOptions.HasFlag(TaskCreationOptions.LongRunning))
        {
            pool.StartLongRunning(task, this);
            return;
        }

        if (pool.IsInFlight(_owner))
        {
            object item = NewInFlight(task);
            if (task.CreationOptions.HasFlag(TaskCreationOptions.PreferFairness))
            {
                pool.Set.QueueInFlight(item);
            }
            else
            {
                Worker.Current!.PushLocal(item, fair: false);
            }
        }
        else if (pool.IsOfTransaction())
        {
            pool.Set.QueueInFlight(NewInFlight(task));
        }
        else
        {
            pool.QueueRoot(_owner, task, s_knowsPriorities ? t_priority ?? WorkPriority.Normal : WorkPriority.Normal);
        }
    }

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (Worker.CurrentOf(_owner.Pool.Set) is not { } worker)
        {
            return false;
        }

        if (taskWasPreviouslyQueued)
        {
            // The usual case of fork and join. An entry elsewhere stays behind and is skipped later: running it again is a no-op.
            worker.Local.TryPop(task);
        }

        return TryExecuteTask(task);
    }

    /// <summary>Lets a cancelled task end at once instead of at its turn. Its entry stays behind and is skipped later: the runtime decides between start and cancellation by one atomic step of the task.</summary>
    protected override bool TryDequeue(Task task) => true;

    /// <summary>The tasks of this scheduler that wait, for the debugger. Takes no lock of the pool; the framework's queues take theirs only while they grow, as in the runtime's own pool.</summary>
    protected override IEnumerable<Task> GetScheduledTasks()
    {
        WorkerSet set = _owner.Pool.Set;
        IEnumerable<object> shared = set.InFlight.Queue.Items;
        foreach (Worker? worker in set.Workers)
        {
            // No task is in a fair ring.
            shared = worker is null ? shared : shared.Concat(worker.Local.Items);
        }

        IEnumerable<Task> own = _owner.IsDefault
            ? shared.OfType<Task>()
            : shared.OfType<ScheduledTask>().Where(item => ReferenceEquals(item.Scheduler, this)).Select(static item => item.Task);
        return _owner.Core.Queue.Items.OfType<Task>().Concat(own).ToArray();
    }

    private object NewInFlight(Task task) => _owner.IsDefault ? task : new ScheduledTask(task, this);

    /// <summary>A task of a class other than the default in a queue that classes share: only its own scheduler may run it.</summary>
    private sealed class ScheduledTask(Task task, AdaptiveTaskScheduler scheduler) : IThreadPoolWorkItem
    {
        public Task Task { get; } = task;

        public AdaptiveTaskScheduler Scheduler { get; } = scheduler;

        public void Execute()
        {
            SynchronizationContext.SetSynchronizationContext(Scheduler._owner.NewTaskContext());
            Scheduler.Execute(Task);
        }
    }
}
