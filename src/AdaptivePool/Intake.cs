using AdaptivePool.Admission;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// Where work comes in: says whether it is root work, in flight, or of a transaction, and puts it where such work waits. Nothing else decides that (ADR 56).
/// </summary>
internal static class Intake
{
    private static readonly SendOrPostCallback s_execute = static state =>
    {
        var item = (IThreadPoolWorkItem)state!;
        if (SchedulerCode.Contains(item))
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        item.Execute();
    };

    /// <summary>What work is that the caller brings to a class.</summary>
    [BypassReadyToRun]
    public static Origin Of(WorkClass target) => Of(target, out _);

    /// <summary>The same, with the worker that runs the caller: one look-up for the question and for the push, because the system's costs 3 ns.</summary>
    /// <param name="target">The class.</param>
    /// <param name="worker">The caller's worker; <see langword="null"/> where it is not one of the pool, from which nothing is in flight.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    public static Origin Of(WorkClass target, out Worker? worker)
    {
        AdaptiveThreadPool pool = target.Pool;
        worker = Worker.CurrentOf(pool.Set);
        if (worker is not null)
        {
            if (target.IsDefault || ReferenceEquals(worker.ItemOwner, target))
            {
                return Origin.InFlight;
            }
        }
        else if (pool.IsClosed)
        {
            return Origin.AfterTheEnd;
        }

        return IsOfTransaction() ? Origin.Transaction : Origin.Root;
    }

    /// <summary>Takes an item that may continue what the caller does.</summary>
    /// <param name="target">Its class.</param>
    /// <param name="item">The item; it finds the context of its class itself, because work in flight is run for the default class.</param>
    /// <param name="place">Where it waits if it is root work.</param>
    /// <param name="fair">Whether it must not overtake what its worker has already.</param>
    /// <exception cref="ObjectDisposedException">The pool is closed, and the caller is not on a worker of it.</exception>
    [BypassReadyToRun]
    public static void Queue(WorkClass target, IThreadPoolWorkItem item, in RootPlace place, bool fair)
    {
        Origin origin = Of(target, out Worker? worker);
        if (origin == Origin.InFlight)
        {
            worker!.PushLocal(item, fair);
            return;
        }

        if (worker is null)
        {
            target.Pool.ThrowIfClosed();
        }

        if (origin != Origin.Transaction)
        {
            target.QueueRoot(item, place);
        }
        else if (TakesTicket(target.Pool))
        {
            // As an await would come back, but for all workers: a lone item in the caller's own queue would wake nobody.
            target.Pool.Set.QueueInFlight(item);
        }
        else
        {
            target.QueueHeldBack(item, place);
        }
    }

    /// <summary>Takes an item of the caller's that has a place of its own among root work, and does not know its class.</summary>
    /// <exception cref="ObjectDisposedException">The pool is closed, and the caller is not on a worker of it.</exception>
    public static void QueueAt(WorkClass target, in RootPlace place, IThreadPoolWorkItem item)
    {
        if (Of(target) == Origin.InFlight)
        {
            // Under its class: work in flight is run for the default one.
            QueueContinuation(target.Context, s_execute, item);
        }
        else
        {
            ThrowIfRefused(target);
            Put(target, place, item);
        }
    }

    /// <summary>Takes an item that is new, whoever brings it: a server reads the next request on the worker where the one before has ended.</summary>
    /// <exception cref="ObjectDisposedException">The pool is closed.</exception>
    public static void QueueNew(WorkClass target, in RootPlace place, IThreadPoolWorkItem item)
    {
        target.Pool.ThrowIfClosed();
        Put(target, place, item);
    }

    private static void Put(WorkClass target, in RootPlace place, IThreadPoolWorkItem item)
    {
        if (!IsOfTransaction())
        {
            target.QueueRoot(item, place);
        }
        else if (TakesTicket(target.Pool))
        {
            // Others wait for its permit: behind a full class it would keep that for nothing.
            QueueContinuation(target.Context, s_execute, item);
        }
        else
        {
            target.QueueHeldBack(item, place);
        }
    }

    /// <summary>
    /// Whether an item of the caller's transaction goes before new work. Asked once for each that is queued: it takes a ticket, or gives all of them back.
    /// </summary>
    public static bool TakesTicket(AdaptiveThreadPool pool) =>
        pool.HighPriorityTickets is var tickets && (tickets == uint.MaxValue || (tickets > 0 && LeaseFlow.TakesTicket(tickets)));

    /// <summary>Takes what continues accepted work: never refused, also while the pool drains.</summary>
    [BypassReadyToRun]
    public static void QueueContinuation(PoolSynchronizationContext context, SendOrPostCallback callback, object? state)
    {
        WorkerSet set = context.Owner.Pool.Set;
        if (Worker.CurrentOf(set) is { } worker)
        {
            worker.Post(context, callback, state);
        }
        else
        {
            set.QueueInFlight(new PostedItem().With(context, callback, state));
        }
    }

    /// <summary>Whether a class's bound holds for what the caller brings: for root work only.</summary>
    public static bool IsBounded(WorkClass target) => Of(target) is Origin.Root or Origin.AfterTheEnd;

    /// <summary>
    /// Refuses what the caller brings if the pool is closed, unless it is an item on a worker: that could not end otherwise, and may need work of any
    /// class for it.
    /// </summary>
    /// <exception cref="ObjectDisposedException">It is refused.</exception>
    public static void ThrowIfRefused(WorkClass target)
    {
        ObjectDisposedException.ThrowIf(target.Pool.IsClosed && Worker.CurrentOf(target.Pool.Set) is null, target.Pool);
    }

    /// <summary>
    /// Whether the caller's flow is inside a transaction for whose permit others may wait: what it queues is in flight (decision 13), from whatever thread. Not
    /// where that flow is suppressed: nothing of it reaches the work. Refused like root work, because it is new.
    /// </summary>
    private static bool IsOfTransaction() => LeaseFlow.HoldsPermit && !ExecutionContext.IsFlowSuppressed();
}
