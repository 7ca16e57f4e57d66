using AdaptivePool.Classes;
using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>
/// The workers, the queues they share, and the protocol by which work wakes a worker. WorkerSet.Threads creates and ends threads.
/// </summary>
/// <remarks>
/// Sleep protocol (rule R2). Work: enqueue, full fence, then <see cref="EnsureWorker"/>. Worker: publish as idle, full fence, look for work again. So of an enqueue and a worker
/// that goes to sleep at least one sees the other.
/// At most one woken worker searches at a time; it holds the token <c>_searching</c>. Whoever queues work while the token is taken relies on its holder, who looks for more work after
/// giving the token back: when it has found an item, or when it has published itself as idle.
/// A lone item pushed by a running worker to its own queue wakes nobody; that worker owes the wake and pays when it takes the next item, when it waits (hook), or the monitor pays for it.
/// </remarks>
internal sealed partial class WorkerSet
{
    /// <summary>Short items that may wait for a running worker before another is woken: at under 20 us each, and often under 10, the last of them starts about when a woken worker would.</summary>
    private const int TakenSoonAtMost = 8;

    private readonly PaddedCounter _wakes = new();
    private readonly PaddedCounter _uselessWakes = new();
    private readonly PaddedCounter _faulted = new();
    private readonly Action<Exception> _onFault;
    private ClassCore[] _classes;
    private PaddedInt _searching;
    private PaddedInt _announced;
    private PaddedInt _inFlightQueued;

    public WorkerSet(string name, int maxThreads, int stackSize, int startLimit, ThreadSource threadSource, Action<Exception> onFault)
    {
        _name = name;
        _maxThreads = maxThreads;
        _stackSize = stackSize;
        _threadSource = threadSource;
        _onFault = onFault;
        InFlight = new ClassCore("(in flight)", startLimit, isInFlight: true);
        _classes = [];
        Idle = new IdleStack(this);
    }

    public IdleStack Idle { get; }

    /// <summary>The class of work that continues something already started.</summary>
    public ClassCore InFlight { get; }

    /// <summary>Root classes. Replaced as a whole when one is added.</summary>
    public ClassCore[] Classes => Volatile.Read(ref _classes);

    /// <summary>Whether the shared in-flight queue may hold something.</summary>
    public bool MayHaveInFlight => Volatile.Read(ref _inFlightQueued.Value) > 0;

    /// <summary>Whether any worker may hold local work that a thief could take.</summary>
    public bool MayHaveSpareLocal => Volatile.Read(ref _announced.Value) > 0;

    public long Wakes => _wakes.Value;

    public long UselessWakes => _uselessWakes.Value;

    public long Faulted => _faulted.Value;

    /// <summary>Called when work waits that no worker may take at present; wakes the sizing loop. Set before the first item.</summary>
    public Action OnHeldUp { get; set; } = static () => { };

    /// <summary>Adds a class. The caller holds the lock of the class map.</summary>
    public void AddClass(ClassCore added) => Volatile.Write(ref _classes, [.. _classes, added]);

    public void QueueRoot(ClassCore target, object item, WorkPriority priority)
    {
        target.Queue.Enqueue(item, priority);

        // Pairs with the fence in Worker.GoIdle and with ClassLimit.Release; without it the item could stay while everybody parks.
        Interlocked.MemoryBarrier();
        if (Stopped)
        {
            HandOver();
        }
        else if (!target.Limit.HasRoom || IsTakenSoon(target))
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

        // As in QueueRoot.
        Interlocked.MemoryBarrier();
        if (Stopped)
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
        Interlocked.Increment(ref _inFlightQueued.Value);
        InFlight.Queue.Enqueue(item);
    }

    /// <summary>Takes from the shared in-flight queue.</summary>
    public object? TryTakeInFlight()
    {
        if (!InFlight.Queue.TryDequeue(out object? item))
        {
            return null;
        }

        Interlocked.Decrement(ref _inFlightQueued.Value);
        return item;
    }

    /// <summary>Wakes a worker for local work, if one is idle and may run it.</summary>
    public void WakeForInFlight()
    {
        // Reads only, no fence: a miss is repaired by the pushing worker itself, which runs the item unless somebody else does.
        if (Volatile.Read(ref _searching.Value) == 0 && !Idle.IsEmpty && InFlight.Limit.HasRoom)
        {
            EnsureWorker();
        }
    }

    /// <summary>Sees to it that a worker is on its way. Call it after publishing work and a full fence.</summary>
    public void EnsureWorker()
    {
        while (true)
        {
            // Pairs with ClearSearching: whoever finds the token taken relies on its holder, who looks for work after giving it back.
            if (Volatile.Read(ref _searching.Value) != 0 || Interlocked.CompareExchange(ref _searching.Value, 1, 0) != 0)
            {
                return;
            }

            if (Idle.TryPop() is { } worker)
            {
                _wakes.Add(1);
                worker.Wake(searching: true, retire: false);
                if (Idle.IsEmpty)
                {
                    // Keeps a spare parked for the wait hook; the starter thread makes it, because starting a thread holds its caller 65 us.
                    RequestThreads();
                }

                return;
            }

            ClearSearching();
            RequestThreads();

            // Pairs with Worker.GoIdle: a worker that published itself while the token was taken here relied on this look.
            Interlocked.MemoryBarrier();
            if (Idle.IsEmpty || !HasEligibleWork())
            {
                return;
            }
        }
    }

    public void ClearSearching() => Volatile.Write(ref _searching.Value, 0);

    /// <summary>Whether work waits that may run now and that its owner does not run next anyway.</summary>
    public bool HasEligibleWork()
    {
        foreach (ClassCore candidate in Classes)
        {
            if (candidate.IsEligible)
            {
                return true;
            }
        }

        return HasInFlightWork();
    }

    /// <summary>Whether in-flight work waits that may run now.</summary>
    public bool HasInFlightWork() => InFlight.Limit.HasRoom && (MayHaveInFlight || HasSpareLocal());

    /// <summary>Items waiting in queues and with workers; a hint.</summary>
    public long QueuedCount()
    {
        long count = InFlight.Queue.Count + LocalCount();
        foreach (ClassCore candidate in Classes)
        {
            count += candidate.Queue.Count;
        }

        return count;
    }

    public int LocalCount()
    {
        int count = 0;
        if (MayHaveSpareLocal)
        {
            foreach (Worker? worker in Workers)
            {
                count += worker?.LocalCount ?? 0;
            }
        }

        return count;
    }

    // A counter of workers that may hold local work. Pairs with nothing: thieves take it as a hint, owners never rely on it.
    public void AnnounceLocal()
    {
        if (Interlocked.Increment(ref _announced.Value) == 1)
        {
            OnHeldUp();
        }
    }

    public void WithdrawLocal() => Interlocked.Decrement(ref _announced.Value);

    public void CountUselessWake() => _uselessWakes.Add(1);

    public void ReportFault(Exception exception)
    {
        _faulted.Add(1);
        _onFault(exception);
    }

    // A worker of a class of short items takes the next one sooner than a parked worker would wake. It owes the wake: it looks again after giving back its slot, pays before it waits, and the sizing
    // thread pays within a tick when the item runs on.
    private static bool IsTakenSoon(ClassCore target) => target.HasShortItems && target.Limit.Active > 0 && target.QueuedCount <= TakenSoonAtMost;

    private bool HasSpareLocal()
    {
        if (!MayHaveSpareLocal)
        {
            return false;
        }

        foreach (Worker? worker in Workers)
        {
            if (worker is { HasSpareLocal: true })
            {
                return true;
            }
        }

        return false;
    }
}
