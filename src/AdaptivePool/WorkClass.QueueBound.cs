using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <remarks>How many items of the class may wait, and how long.</remarks>
public sealed partial class WorkClass
{
    private const long TimeAsThePool = long.MinValue;

    private QueueBound? _bound;
    private int _maxQueued = AsThePool;
    private long _maxQueueTicks = TimeAsThePool;

    /// <summary>
    /// The maximum number of root items of the class that may wait for a worker, in items. Items that can start at once are not counted. 1 to 2,147,483,647,
    /// which means no bound. Default <see langword="null"/>: the value of <see cref="AdaptivePoolOptions.MaxQueued"/>. A higher value refuses later, and lets
    /// each item wait longer. May be changed at any time; items that already wait stay in the queue.
    /// </summary>
    /// <remarks>
    /// The next item is refused with a <see cref="WorkRefusedException"/>. The task of <c>Run</c> faults with it; <c>QueueUserWorkItem</c> and
    /// <c>UnsafeQueueUserWorkItem</c> throw it, unless the item is an <see cref="IRefusableWorkItem"/>. The class never refuses work that continues work that
    /// has started (in-flight work), nor tasks of <see cref="Scheduler"/> or <see cref="Factory"/>: such a task may be the code after an await, and work that
    /// has started must be able to end. Tasks from outside wait in the same queue, and count. An item of <c>Run</c> that a worker runs itself, because it waits
    /// for it, no longer counts. A cancelled item counts until its turn comes.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int? MaxQueued
    {
        get => Volatile.Read(ref _maxQueued) is > 0 and var most ? most : null;
        set
        {
            new AdaptivePoolOptions { MaxQueued = value }.ThrowIfInvalid();
            Volatile.Write(ref _maxQueued, value ?? AsThePool);
            Bind();
        }
    }

    /// <summary>
    /// The maximum time that a root item of the class may wait for a worker. An item that has waited longer does not run when its turn comes. 1 ms to 24 h, or
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. Default <see langword="null"/>: the value of <see cref="AdaptivePoolOptions.MaxQueueTime"/>. A
    /// higher value refuses fewer items, and runs some whose caller no longer waits. May be changed at any time.
    /// </summary>
    /// <remarks>
    /// The task of <c>Run</c> faults with a <see cref="WorkRefusedException"/>. An <see cref="IRefusableWorkItem"/> is notified. For any other item,
    /// <see cref="AdaptiveThreadPool.Faulted"/> is raised with the exception. Items that <see cref="MaxQueued"/> never refuses do not expire. Items that were
    /// queued while the class had no bound have no time limit.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public TimeSpan? MaxQueueTime
    {
        get => Volatile.Read(ref _maxQueueTicks) is not TimeAsThePool and var ticks ? TimeSpan.FromTicks(ticks) : null;
        set
        {
            new AdaptivePoolOptions { MaxQueueTime = value }.ThrowIfInvalid();
            Volatile.Write(ref _maxQueueTicks, value?.Ticks ?? TimeAsThePool);
            Bind();
        }
    }

    internal long Refused => Volatile.Read(ref _bound)?.Refused ?? 0;

    internal long Expired => Volatile.Read(ref _bound)?.Expired ?? 0;

    /// <summary>Maximum number of items that may wait; <see cref="int.MaxValue"/> for any number.</summary>
    internal int MostQueued => MaxQueued ?? Pool.MaxQueued;

    /// <summary>Longest time that an item may wait; negative for as long as it takes.</summary>
    internal TimeSpan LongestQueueTime => MaxQueueTime ?? Pool.MaxQueueTime;

    /// <summary>The bound in force; <see langword="null"/> where nothing is bounded.</summary>
    private QueueBound? Bound => Volatile.Read(ref _bound) is { } bound && IsBounded ? bound : null;

    /// <summary>Whether a bound was ever created, so that waiting tasks may have been counted by it.</summary>
    internal bool WasBounded => Volatile.Read(ref _bound) is not null;

    private bool IsBounded => MostQueued != int.MaxValue || LongestQueueTime >= TimeSpan.Zero;

    /// <summary>Gives the calling code the context under which an item of a user runs in this class.</summary>
    internal void EnterFor(IThreadPoolWorkItem item) => Enter(SchedulerCode.Contains(item));

    /// <summary>Gives the calling code the context under which a callback of a user runs in this class.</summary>
    internal void EnterFor(Delegate callback) => Enter(SchedulerCode.Contains(callback));

    /// <summary>Gives the calling code the context of this class, or none for code of a scheduler on top of the pool, which needs none.</summary>
    internal void Enter(bool isOfScheduler)
    {
        SynchronizationContext? context = isOfScheduler ? null : SynchronizationContext;
        if (Worker.CurrentOf(Pool.Set) is { } worker)
        {
            worker.Enter(context, this);
        }
        else
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    /// <summary>Queues root work that may be refused.</summary>
    /// <param name="item">The item.</param>
    /// <param name="place">Where it waits.</param>
    internal void QueueRoot(IThreadPoolWorkItem item, in RootPlace place)
    {
        if (Bound is { } bound)
        {
            QueueRoot(item, place, bound);
        }
        else
        {
            Enqueue(item, place);
        }
    }

    /// <summary>Queues an item of an open transaction with new work. The item is never refused, and does not wait long.</summary>
    /// <param name="item">The item.</param>
    /// <param name="place">Where it waits.</param>
    internal void QueueHeldBack(IThreadPoolWorkItem item, in RootPlace place)
    {
        var held = new HeldBackItem(this, item);
        Enqueue(held, place);

        // The sizing thread may have been asleep when the item came, because a worker was on its way to the item. The item may wait nevertheless.
        Pool.Set.HeldBack.Add(held);
        Pool.Set.OnHeldUp();
    }

    /// <summary>Puts a work item or a task where it waits.</summary>
    internal void Enqueue(object item, in RootPlace place) =>
        Pool.Set.QueueRoot(Core, item, place with { Priority = Pool.PriorityOf(place.Priority) });

    private void QueueRoot(IThreadPoolWorkItem item, in RootPlace place, QueueBound bound)
    {
        if (bound.Come() is { } refusal)
        {
            BoundedItem.Refuse(item, refusal);
            return;
        }

        try
        {
            Enqueue(new BoundedItem(this, bound, item), place);
        }
        finally
        {
            bound.Arrived();
        }
    }

    /// <summary>
    /// Refuses the caller's work, or returns the bound that applies to it; <see langword="null"/> for none, also where the caller continues work that has
    /// begun.
    /// </summary>
    private QueueBound? BoundOfTask(WorkPriority priority, CancellationToken cancellationToken)
    {
        ThrowIfRefused(priority);
        return Bound is { } bound && Intake.IsBounded(this) && !cancellationToken.IsCancellationRequested ? bound : null;
    }

    private Task<T> RunBounded<T>(Func<T> function, in RootPlace place, QueueBound bound, CancellationToken cancellationToken)
    {
        if (bound.Come() is { } refusal)
        {
            return Task.FromException<T>(refusal);
        }

        try
        {
            var task = new Task<T>(
                state =>
                {
                    ((BoundedFunction)state!).Begin();
                    return function();
                },
                new BoundedFunction(bound),
                cancellationToken,
                AsTaskRun);
            return Start(task, place, SchedulerFor(function));
        }
        finally
        {
            bound.Arrived();
        }
    }

    /// <summary>Creates the bound of the queue once a value sets one. It then stays, because it has counted.</summary>
    internal void Bind()
    {
        if (IsBounded)
        {
            LazyInitializer.EnsureInitialized(ref _bound, () => new QueueBound(this));
        }
    }
}
