using AdaptivePool.Admission;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>
/// The place where work comes in. It decides whether work is root work, in flight, or of a transaction, and queues it where such work waits. No other code
/// decides that (ADR 56).
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

    /// <summary>Returns the kind of the work that the caller brings to a class.</summary>
    [BypassReadyToRun]
    public static Origin Of(WorkClass target) => Of(target, out _);

    /// <summary>The same, with the worker that runs the caller: one lookup for the question and for the push, because the system's lookup costs 3
    /// ns.</summary>
    /// <param name="target">The class.</param>
    /// <param name="worker">The caller's worker; <see langword="null"/> where the caller is not on a worker of the pool. Then its work is not in
    /// flight.</param>
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

    /// <summary>Takes an item that may continue the caller's work.</summary>
    /// <param name="target">Its class.</param>
    /// <param name="item">The item. It sets the context of its class itself, because work in flight runs for the default class.</param>
    /// <param name="place">Where it waits if it is root work.</param>
    /// <param name="fair">Whether the item must not overtake the items that its worker already has.</param>
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
            // As the code after an await, but for all workers: a lone item in the caller's own queue would wake no worker.
            target.Pool.Set.QueueInFlight(item);
        }
        else
        {
            target.QueueHeldBack(item, place);
        }
    }

    /// <summary>Takes an item of the caller that has a place of its own among root work, and does not know its class.</summary>
    /// <exception cref="ObjectDisposedException">The pool is closed, and the caller is not on a worker of it.</exception>
    public static void QueueAt(WorkClass target, in RootPlace place, IThreadPoolWorkItem item)
    {
        if (Of(target) == Origin.InFlight)
        {
            // Under its class, because work in flight runs for the default class.
            QueueContinuation(target.Context, s_execute, item);
        }
        else
        {
            ThrowIfRefused(target);
            Put(target, place, item);
        }
    }

    /// <summary>Takes an item that is new, whichever thread brings it: a server reads the next request on the worker where the previous one has
    /// ended.</summary>
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
            // Others wait for the permit of the transaction: behind a full class the item would hold the permit in vain.
            QueueContinuation(target.Context, s_execute, item);
        }
        else
        {
            target.QueueHeldBack(item, place);
        }
    }

    /// <summary>
    /// Whether an item of the caller's transaction goes before new work. Called once for each queued item: the call takes a ticket, or gives all tickets
    /// back.
    /// </summary>
    public static bool TakesTicket(AdaptiveThreadPool pool) =>
        pool.HighPriorityTickets is var tickets && (tickets == uint.MaxValue || (tickets > 0 && LeaseFlow.TakesTicket(tickets)));

    /// <summary>Takes code that continues accepted work. Such code is never refused, even while the pool drains.</summary>
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

    /// <summary>Whether the bound of a class applies to the caller's work: it applies to root work only.</summary>
    public static bool IsBounded(WorkClass target) => Of(target) is Origin.Root or Origin.AfterTheEnd;

    /// <summary>
    /// Refuses the caller's work if the pool is closed, unless the caller is an item on a worker: that item could not end otherwise, and may need work of any
    /// class to end.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The work is refused.</exception>
    public static void ThrowIfRefused(WorkClass target)
    {
        ObjectDisposedException.ThrowIf(target.Pool.IsClosed && Worker.CurrentOf(target.Pool.Set) is null, target.Pool);
    }

    /// <summary>
    /// Whether the caller's flow is inside a transaction for whose permit others may wait. The work that it queues is then in flight (decision 13), from any
    /// thread. Not where that flow is suppressed, because then none of it reaches the work. Such work is refused like root work, because it is new.
    /// </summary>
    private static bool IsOfTransaction() => LeaseFlow.HoldsPermit && !ExecutionContext.IsFlowSuppressed();
}
