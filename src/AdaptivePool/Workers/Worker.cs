using System.Runtime.CompilerServices;
using AdaptivePool.Blocking;
using AdaptivePool.Classes;
using AdaptivePool.Queues;

namespace AdaptivePool.Workers;

/// <summary>
/// One thread of the pool: takes items, runs them, parks. Worker.Take finds the next item, Worker.Execute runs it, Worker.Wait is what the wait hook calls.
/// </summary>
/// <remarks>
/// A worker holds at most one slot (the right to run items of one class) and keeps it from item to item, so that a busy class costs no shared counter per item.
/// Only the owner thread writes the fields; sizing and thieves read them.
/// </remarks>
internal sealed partial class Worker(WorkerSet set, int id, Parking parking)
{
    [ThreadStatic]
    private static Worker? t_current;

    private readonly WorkerSet _set = set;
    private readonly Parking _parking = parking;
    private Thread? _thread;
    private ClassCore? _slot;
    private long _sequence;
    private bool _retire;
    private bool _isSearching;
    private bool _announced;
    private object? _handedBack;
    private bool _hasYielded;

    /// <summary>The worker that runs the caller.</summary>
    public static Worker? Current => t_current;

    public int Id { get; } = id;

    public WorkerSet Set => _set;

    /// <summary>Number of the next worker in the idle stack plus one. Written by the pusher, read by poppers; see <see cref="IdleStack"/>.</summary>
    public int NextIdle { get; set; }

    /// <summary>Own work that may run in any order: newest first.</summary>
    public WorkStealingQueue Local { get; } = new();

    /// <summary>Own work that must not overtake: oldest first.</summary>
    public FairRing Fair { get; } = new();

    /// <summary>The class whose slot this worker holds; <see langword="null"/> while it holds none.</summary>
    public ClassCore? Slot => Volatile.Read(ref _slot);

    /// <summary>Odd while an item runs; each start and each end adds one. The heartbeat.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    public Thread? Thread => Volatile.Read(ref _thread);

    /// <summary>System's number of the thread; 0 before it runs or where there is none.</summary>
    public int ThreadId { get; private set; }

    /// <summary>Set by the monitor when the current item holds up local work: even a lone local item may then be stolen.</summary>
    public bool MayLoseLoneItem { get; set; }

    public int LocalCount => Local.Count + Fair.Count;

    public bool HasLocal => !Local.IsEmpty || !Fair.IsEmpty;

    /// <summary>Whether a thief may take something: two items at least, because a lone one is what the owner runs next (waking a thief for it costs more than it brings).</summary>
    public bool HasSpareLocal => HasLocal && (MayLoseLoneItem || LocalCount > 1);

    public void Run()
    {
        t_current = this;
        ThreadId = Internal.NativeMethods.HasSystemCalls ? Internal.NativeMethods.CurrentThreadId() : 0;
        PrepareThread();
        Volatile.Write(ref _thread, Thread.CurrentThread);
        try
        {
            while (RunNext())
            {
                // All work is in the call: a method entered once stays on the compiler's first, unoptimised tier.
            }
        }
        finally
        {
            Volatile.Write(ref _thread, null);
            SynchronizationContext.SetSynchronizationContext(null);
            t_current = null;
            _set.OnExit(this);
        }
    }

    private bool RunNext()
    {
        object? item = _handedBack ?? Take();
        _handedBack = null;
        if (item is null)
        {
            if (!_hasYielded && _slot is { HasShortItems: true })
            {
                // Whoever is about to queue the next short item may only be waiting for this core. One yield costs less than a wake, and nothing when nobody waits for the core.
                _hasYielded = true;
                Thread.Yield();
                return true;
            }

            return GoIdle();
        }

        _hasYielded = false;
        if (item is PostedItem { AsTask: true } posted)
        {
            RunInTask(posted);
        }
        else
        {
            Execute(item);
        }

        return true;
    }

    /// <summary>Wakes the worker. The caller has popped it from the idle stack.</summary>
    /// <param name="searching">Whether the worker carries the searcher's token.</param>
    /// <param name="retire">Whether it is to end.</param>
    public void Wake(bool searching, bool retire)
    {
        _isSearching = searching;
        _retire = retire;

        // Publishes both fields: pairs with the read of the permit in Park.
        _parking.Unpark();
    }

    /// <summary>Adds work from the item that runs here.</summary>
    public void PushLocal(object item, bool fair)
    {
        bool hadWork = HasLocal;
        if (!_announced)
        {
            _announced = true;
            _set.AnnounceLocal();
        }

        if (fair || Blocked)
        {
            if (Blocked || !Fair.TryPush(item))
            {
                // A blocked worker cannot get to its own queues; a full ring spills.
                _set.QueueInFlight(item);
                return;
            }
        }
        else
        {
            Local.Push(item);
        }

        // A lone item wakes nobody: this worker runs it next. It owes that wake; the hook, or the monitor when the item runs long, pays.
        if (hadWork)
        {
            _set.WakeForInFlight();
        }
    }

    /// <summary>Gives own work to everybody: before a wait, before parking.</summary>
    private void SpillLocal()
    {
        while ((Local.TrySteal() ?? Fair.TryTake()) is { } item)
        {
            _set.EnqueueInFlight(item);
        }

        if (_announced)
        {
            _announced = false;
            _set.WithdrawLocal();
        }
    }

    /// <summary>Parks until woken.</summary>
    /// <returns><see langword="false"/> when the worker is to end.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool GoIdle()
    {
        _hasYielded = false;
        ReleaseSlot();
        SpillLocal();
        Local.Trim();
        bool searched = _isSearching;
        _isSearching = false;
        if (searched)
        {
            _set.CountUselessWake();
        }

        // Publish, fence, rescan: pairs with enqueue, fence, look for idle workers in EnsureWorker. Without the order an item could stay while everybody parks.
        _set.Idle.Push(this);
        if (searched)
        {
            _set.ClearSearching();
        }

        Interlocked.MemoryBarrier();
        if (_set.Stopped)
        {
            // Pairs with Stop, which retires whom it finds idle.
            _set.Retire(int.MaxValue);
        }
        else if (_set.HasEligibleWork())
        {
            // Wakes the top of the stack, which is this worker unless others came in between.
            _set.EnsureWorker();
        }

        SynchronizationContext.SetSynchronizationContext(null);
        _parking.Park();
        return !_retire;
    }
}
