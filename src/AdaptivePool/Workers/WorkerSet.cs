using AdaptivePool.Classes;
using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>
/// The workers and the queues they share. WorkerSet.Threads creates and ends threads; the protocol by which work wakes a worker is that of <see cref="WakeProtocol{TSync}"/>.
/// </summary>
/// <remarks>
/// A lone item pushed by a running worker to its own queue wakes nobody; that worker owes the wake and pays when it takes the next item, when it waits (hook), or the monitor pays for it.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed partial class WorkerSet<TSync> : WakeProtocol<TSync>
    where TSync : struct, ISync
{
    // Knuth, The Art of Computer Programming, vol. 3, 6.4: 2^32 over the golden ratio; the upper bits of the product are well mixed.
    private const uint Scatter = 2_654_435_769;
    private const int ScatterShift = 24;

    [ThreadStatic]
    private static int t_queued;

    private readonly PaddedCounter _faulted = new();
    private readonly Action<Exception> _onFault;
    private ClassCore<TSync>[] _classes;
    private bool _takesTurns;
    private PaddedInt _announced;
    private PaddedInt _inFlightQueued;

    public WorkerSet(string name, int maxThreads, int stackSize, int startLimit, ThreadSource<TSync> threadSource, Action<Exception> onFault)
    {
        _name = name;
        _maxThreads = maxThreads;
        Root = new ClassLimit<TSync>(MostRoot(maxThreads));
        _stackSize = stackSize;
        _threadSource = threadSource;
        _onFault = onFault;
        InFlight = new ClassCore<TSync>("(in flight)", startLimit, isInFlight: true);
        _classes = [];
    }

    /// <summary>Who blocks the workers.</summary>
    public Blocking.BlockerTable<TSync> Blockers { get; } = new();

    /// <summary>The class of work that continues something already started.</summary>
    public ClassCore<TSync> InFlight { get; }

    /// <summary>
    /// Threads that all root classes may take together, and those that they have; items in flight that wait count too, because they keep theirs. Of two threads or more one is left to work in flight, which what blocks the others may wait for.
    /// </summary>
    public ClassLimit<TSync> Root { get; }

    /// <summary>Whether more classes have work than threads are there for root work: workers then change the class after each item. Written by Sizing, a hint.</summary>
    public bool TakesTurns { get => TSync.RelaxedRead(ref _takesTurns); set => TSync.RelaxedWrite(ref _takesTurns, value); }

    /// <summary>Root classes. Replaced as a whole when one is added.</summary>
    public ClassCore<TSync>[] Classes => TSync.RelaxedRead(ref _classes);

    /// <summary>Whether the shared in-flight queue may hold something.</summary>
    public bool MayHaveInFlight => TSync.RelaxedRead(ref _inFlightQueued.Value) > 0;

    /// <summary>Whether any worker may hold local work that a thief could take.</summary>
    public bool MayHaveSpareLocal => TSync.RelaxedRead(ref _announced.Value) > 0;

    public long Faulted => _faulted.Value;

    /// <summary>Called when work waits that no worker may take at present; wakes the sizing loop. Set before the first item.</summary>
    public Action OnHeldUp { get; set; } = static () => { };

    /// <summary>Called when an item was found to block where it must not; wakes the blocking monitor. Set before the first item.</summary>
    public Action OnFinding { get; set; } = static () => { };

    /// <summary>Called by the sizing thread at each of its looks, with whether work waits; wakes the blocking monitor. Set before the first item.</summary>
    public Action<bool> OnLook { get; set; } = static _ => { };

    /// <summary>Adds a class. The caller holds the lock of the class map.</summary>
    public void AddClass(ClassCore<TSync> added) => TSync.RelaxedWrite(ref _classes, [.. Classes, added]);

    public void QueueRoot(ClassCore<TSync> target, object item, WorkPriority priority)
    {
        target.Queue.Enqueue(item, priority);
        if (!Publish())
        {
            HandOver();
        }
        else if (!target.Limit.HasRoom || !Root.HasRoom || IsTakenSoon(target))
        {
            OnHeldUp();
        }
        else
        {
            EnsureWorker();
        }
    }

    public void QueueInFlight(object item)
    {
        EnqueueInFlight(item);
        if (!Publish())
        {
            HandOver();
        }
        else if (InFlight.Limit.HasRoom)
        {
            EnsureWorker();
        }
        else
        {
            OnHeldUp();
        }
    }

    /// <summary>Adds to the shared in-flight queue without waking anybody.</summary>
    public void EnqueueInFlight(object item)
    {
        // Counted before it can be taken: whoever reads zero after a fence knows that nothing was queued before that fence. Workers look here before every item, and a count is cheaper than the queue.
        TSync.Increment(ref _inFlightQueued.Value);
        InFlight.Queue.Enqueue(item);
    }

    /// <summary>Takes from the shared in-flight queue.</summary>
    public object? TryTakeInFlight()
    {
        if (!InFlight.Queue.TryDequeue(out object? item))
        {
            return null;
        }

        TSync.Decrement(ref _inFlightQueued.Value);
        return item;
    }

    /// <summary>Wakes a worker for local work, if one is idle and may run it.</summary>
    public void WakeForInFlight()
    {
        // Reads only, no fence: a miss is repaired by the pushing worker itself, which runs the item unless somebody else does.
        if (!HasSearcher && !Idle.IsEmpty && InFlight.Limit.HasRoom)
        {
            EnsureWorker();
        }
    }

    /// <inheritdoc/>
    public override bool HasEligibleWork()
    {
        if (Root.HasRoom)
        {
            foreach (ClassCore<TSync> candidate in Classes)
            {
                if (candidate.IsEligible)
                {
                    return true;
                }
            }
        }

        return HasInFlightWork();
    }

    /// <summary>Whether work of this class waits that may run and that no running worker sees to.</summary>
    public bool MayRun(ClassCore<TSync> candidate) => candidate.IsEligible && (candidate.IsInFlight || Root.HasRoom);

    /// <summary>Whether in-flight work waits that may run now.</summary>
    public bool HasInFlightWork() => InFlight.Limit.HasRoom && (MayHaveInFlight || HasSpareLocal());

    /// <summary>Items waiting in queues and with workers; a hint.</summary>
    public long QueuedCount()
    {
        long count = InFlight.Queue.Count + LocalCount();
        foreach (ClassCore<TSync> candidate in Classes)
        {
            count += candidate.Queue.Count;
        }

        return count;
    }

    /// <summary>Workers whose item stands in a managed wait, for gauges.</summary>
    public int BlockedCount()
    {
        int count = 0;
        foreach (Worker<TSync>? worker in Workers)
        {
            count += worker is { IsSeenWaiting: true } ? 1 : 0;
        }

        return count;
    }

    /// <summary>Items completed.</summary>
    public long CompletedCount() => InFlight.Completed + Classes.Sum(static item => item.Completed);

    public int LocalCount()
    {
        int count = 0;
        if (MayHaveSpareLocal)
        {
            Worker<TSync>?[] workers = Workers;
            for (int i = 0; i < workers.Length; i++)
            {
                count += TSync.RelaxedRead(ref workers[i])?.LocalCount ?? 0;
            }
        }

        return count;
    }

    // A counter of workers that may hold local work. Pairs with nothing: thieves take it as a hint, owners never rely on it.
    public void AnnounceLocal() => TSync.Increment(ref _announced.Value);

    public void WithdrawLocal() => TSync.Decrement(ref _announced.Value);

    public void ReportFault(Exception exception)
    {
        _faulted.Add(1);
        _onFault(exception);
    }

    // A worker of a class of short items takes the next one sooner than a parked worker would wake. It owes the wake: it looks again after giving back its slot, pays before it waits, and the sizing
    // thread pays within a tick when the item runs on.
    private static bool IsTakenSoon(ClassCore<TSync> target)
    {
        int atMost = target.TakenSoon;
        if (atMost == 0 || target.Limit.Active == 0)
        {
            return false;
        }

        if (target.IsManned)
        {
            return true;
        }

        // Looking at the length takes the head of the queue away from the worker: where many may wait, a few more may. The number is scattered, so that of several classes in turn none is never looked at.
        uint scattered = unchecked((uint)++t_queued * Scatter) >> ScatterShift;
        return (scattered & (uint)(TakenSoonRule.LookOneIn(atMost) - 1)) != 0 || target.QueuedCount <= atMost;
    }

    private bool HasSpareLocal()
    {
        if (!MayHaveSpareLocal)
        {
            return false;
        }

        Worker<TSync>?[] workers = Workers;
        for (int i = 0; i < workers.Length; i++)
        {
            if (TSync.RelaxedRead(ref workers[i]) is { HasSpareLocal: true })
            {
                return true;
            }
        }

        return false;
    }
}
