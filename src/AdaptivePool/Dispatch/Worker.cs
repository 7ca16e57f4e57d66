using AdaptivePool.Dispatch.Items;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Dispatch;

/// <summary>
/// One thread of the pool: takes items, runs them, parks. Worker.Take finds the next item, Worker.Execute runs it, Worker.Wait is what the wait hook calls.
/// </summary>
/// <remarks>
/// A worker holds at most one slot (the right to run items of one class) and keeps it from item to item, so that a busy class costs no shared counter per item.
/// Only the owner thread writes the fields; sizing and thieves read them.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed partial class Worker<TSync>(WorkerSet<TSync> set, int id, Parking parking) : Sleeper<TSync>(id, parking)
    where TSync : struct, ISync
{
    /// <summary>Items that run before the worker enters again the region in which it takes interrupts: entering it for each costs a nanosecond.</summary>
    private const int ItemsPerRegion = 64;

    [ThreadStatic]
    private static Worker<TSync>? t_current;

    private readonly WorkerSet<TSync> _set = set;
    private Thread? _thread;
    private ClassCore<TSync>? _slot;
    private long _sequence;
    private object? _handedBack;
    private bool _hasYielded;
    private bool _hasPushed;
    private bool _owesOffer;
    private bool _isEmergency;
    private bool _isLent;
    private bool _mayLoseLoneItem;
    private int _enteredGroup = -1;

    /// <summary>The worker that runs the caller.</summary>
    public static Worker<TSync>? Current => t_current;

    /// <summary>The worker of the given pool that runs the caller; <see langword="null"/> on any other thread.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    public static Worker<TSync>? CurrentOf(WorkerSet<TSync> set) => t_current is { } worker && ReferenceEquals(worker._set, set) ? worker : null;

    /// <summary>The clock of the workers, in ticks of the stopwatch.</summary>
    public static long Timestamp() => TSync.Timestamp();

    public WorkerSet<TSync> Set => _set;

    /// <summary>Own work that may run in any order: newest first.</summary>
    public WorkStealingQueue<TSync> Local { get; } = new(set.LocalCapacity);

    /// <summary>Own work that must not overtake: oldest first.</summary>
    public WorkStealingQueue<TSync> Fair { get; } = new(set.LocalCapacity);

    /// <summary>The class whose slot this worker holds; <see langword="null"/> while it holds none.</summary>
    public ClassCore<TSync>? Slot => TSync.RelaxedRead(ref _slot);

    /// <summary>Odd while an item runs; each start and each end adds one. The heartbeat.</summary>
    public long Sequence => TSync.VolatileRead(ref _sequence);

    public Thread? Thread => TSync.RelaxedRead(ref _thread);

    /// <summary>The system's number of the thread; 0 before it runs or where there is none.</summary>
    public int ThreadId { get; private set; }

    /// <summary>Set when the current item holds up local work: even a lone local item may then be stolen.</summary>
    public bool MayLoseLoneItem
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _mayLoseLoneItem);
        set => TSync.RelaxedWrite(ref _mayLoseLoneItem, value);
    }

    /// <summary>
    /// Whether the worker is lent beyond MaxThreads while a deadlock holds: it takes items past the limits. Written by the code that starts threads and by the
    /// monitor.
    /// </summary>
    public bool IsEmergency
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _isEmergency);
        set => TSync.RelaxedWrite(ref _isEmergency, value);
    }

    /// <summary>
    /// Whether the worker was started because of a deadlock, on top of those that the pool has otherwise. Read and written under the lock of the set's
    /// registry; the monitor reads it as a hint.
    /// </summary>
    public bool IsLent { get => TSync.RelaxedRead(ref _isLent); set => TSync.RelaxedWrite(ref _isLent, value); }

    /// <summary>Whether an item runs and was seen to wait: by the hook, a scope, or the thread's state.</summary>
    public bool IsSeenWaiting => (Sequence & 1) != 0 && (Blocked || (Thread?.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin) ?? false));

    /// <summary>
    /// Whether the worker neither sleeps nor runs an item: it is about to look for work, even if it was woken and has no processor yet. Any thread; a hint
    /// while it moves.
    /// </summary>
    public bool IsOnTheWay => !IsAsleep && (Sequence & 1) == 0;

    // Inlined, and so are the two: code that counts for each of many workers must not call three methods for each, which the runtime would then compile anew.
    public int LocalCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Local.Count + Fair.Count;
    }

    public bool HasLocal
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => !Local.IsEmpty || !Fair.IsEmpty;
    }

    /// <summary>
    /// Whether a thief may take something: two items at least, because the owner runs a lone one next (waking a thief for it costs more than it brings).
    /// </summary>
    public bool HasSpareLocal
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => LocalCount is var count && (count > 1 || (count == 1 && MayLoseLoneItem));
    }

    /// <summary>Lets other workers take even a lone item, because the item that runs goes on and on. Sizing only.</summary>
    public void OfferLoneItem()
    {
        MayLoseLoneItem = true;
        _set.OfferLoneItem(this);
    }

    public void Run()
    {
        t_current = this;
        TSync.OwnDebt();
        ThreadId = _set.CurrentThreadId();
        PrepareThread();
        EnterGroup();
        TSync.RelaxedWrite(ref _thread, Thread.CurrentThread);
        try
        {
            while (RunUninterrupted())
            {
                // All work is in the call: a method entered once is compiled once, for its loop, before anything is known of what it calls.
            }
        }
        finally
        {
            TSync.RelaxedWrite(ref _thread, null);
            SynchronizationContext.SetSynchronizationContext(null);
            t_current = null;
            _set.OnEnd(this);
        }
    }

    // Waits of the pool's own are not interrupted; those inside the framework's queues may be, before they have taken anything.
    [MethodImpl(MethodImplOptions.NoInlining)]
    [BypassReadyToRun]
    private bool RunUninterrupted()
    {
        try
        {
            for (int i = 0; i < ItemsPerRegion; i++)
            {
                if (!RunNext())
                {
                    return false;
                }
            }
        }
        catch (ThreadInterruptedException)
        {
            // The next turn looks again.
        }
        catch (OutOfMemoryException)
        {
            // The heap is full for a moment. An item that was taken has run: nothing between the two takes memory. What was to be counted after it is lost.
            if ((_sequence & 1) != 0)
            {
                TSync.VolatileWrite(ref _sequence, _sequence + 1);
            }
        }

        return true;
    }

    [BypassReadyToRun]
    private bool RunNext()
    {
        object? item = _handedBack ?? Take();
        _handedBack = null;
        if (item is null)
        {
            if (!_hasYielded && _slot is not null && !_hasLongItems)
            {
                // A thread that is about to queue the next short item may only be waiting for this core. One yield costs less than a wake, and nothing when no
                // thread waits for the core. This worker's own items decide: of 10,000 classes in turn none has had one that was timed.
                _hasYielded = true;
                TSync.Yield();
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

    /// <summary>Adds work from the item that runs here.</summary>
    [BypassReadyToRun]
    public void PushLocal(object item, bool fair)
    {
        if (Blocked || _set.Stopped)
        {
            // A blocked worker cannot get to its own queues, and one that ends takes no further item: its queues are handed over. Without a fence: an item
            // that is pushed at that very moment runs when this item has ended or waits.
            _set.QueueInFlight(item);
            return;
        }

        bool hadWork = HasLocal;
        _hasPushed = true;
        (fair ? Fair : Local).Push(item);
        if (TSync.RelaxedRead(ref _timesNext) > 0)
        {
            // The items of this worker run long: the rest of this one costs more than a wake, and what it queues may be what others wait for, such as the next
            // holder of a lock.
            MayLoseLoneItem = true;
        }

        if (hadWork || MayLoseLoneItem)
        {
            _set.OfferLocal(this);
            _owesOffer = true;
        }

        if (!hadWork)
        {
            // A lone item among short ones wakes no worker: this worker runs it next. It owes that wake; the hook pays, or the monitor when the item runs
            // long. Without a fence: where this misses a sizing thread that is just falling asleep, the quiet look finds the item.
            _set.OnHeldUp();
        }
    }

    /// <summary>Takes an item from the own queues as a thief does. Any thread.</summary>
    public object? TryStealAny() => Local.TrySteal() ?? Fair.TrySteal();

    /// <summary>Gives own work to all workers: before a wait, before parking.</summary>
    /// <returns><see langword="false"/> when there is no memory for that: the work is then still here, and other workers may take it.</returns>
    private bool SpillLocal()
    {
        bool spilled = false;
        while (TryStealAny() is { } item)
        {
            try
            {
                _set.EnqueueInFlight(item);
            }
            catch (OutOfMemoryException)
            {
                // The item's old place is free.
                Local.Push(item);
                OfferLoneItem();
                return false;
            }

            spilled = true;
        }

        if (spilled)
        {
            _set.HandOverIfStopped();
        }

        if (_hasPushed)
        {
            // Thieves leave references in the slots that they took from, and the next item of this worker may run long.
            _hasPushed = false;
            Local.Trim();
            Fair.Trim();
        }

        return true;
    }

    /// <summary>Parks until woken.</summary>
    /// <returns><see langword="false"/> when the worker is to end.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool GoIdle()
    {
        _hasYielded = false;
        ReleaseSlot();
        if (!SpillLocal())
        {
            return true;
        }

        if (_routedOf is { } of && WaitForNext(of) is { } next)
        {
            _handedBack = next;
            return true;
        }

        _set.LieDown(this);
        SynchronizationContext.SetSynchronizationContext(null);
        bool lives = Sleep();

        // A futex ignores interrupts.
        TSync.ForgetInterrupt();
        EnterGroup();
        return lives;
    }

    private void EnterGroup()
    {
        if (_set.OnGroup is { } enter && Group is var group && group != _enteredGroup)
        {
            _enteredGroup = group;
            enter(group);
        }
    }
}
