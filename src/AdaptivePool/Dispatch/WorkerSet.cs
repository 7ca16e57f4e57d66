using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Dispatch;

/// <summary>
/// The workers and the queues they share. WorkerSet.Threads creates and ends threads, WorkerSet.Used knows the classes that have work, WorkerSet.End hands
/// over what is left at the end. The protocol by which work wakes a worker is <see cref="WakeProtocol{TSync}"/>.
/// </summary>
/// <remarks>
/// A lone item that a running worker pushes to its own queue wakes no worker. The pushing worker owes the wake and pays when it takes the next item or when it
/// waits (hook); otherwise the monitor pays for it.
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
    private bool _hasHeldUp;
    private PaddedInt _inFlightQueued;

    /// <param name="name">Name of the pool, for its threads.</param>
    /// <param name="maxThreads">Threads that may exist.</param>
    /// <param name="stackSize">Bytes of their stacks; 0 for what the system gives.</param>
    /// <param name="startLimit">Items in flight that may run at once at first.</param>
    /// <param name="threadSource">Where threads come from.</param>
    /// <param name="onFault">Called with what an item throws.</param>
    /// <param name="mostClasses">Root classes that may exist. A small number makes looking at them cheaper.</param>
    /// <param name="mostWorkers">Workers that may ever exist. The model checker uses few.</param>
    public WorkerSet(
        string name,
        int maxThreads,
        int stackSize,
        int startLimit,
        ThreadSource<TSync> threadSource,
        Action<Exception> onFault,
        int mostClasses = AdaptivePoolOptionsValidator.MostClasses,
        int mostWorkers = AdaptivePoolOptionsValidator.MostThreads + AdaptivePoolOptionsValidator.MostEmergencyThreads)
    {
        _name = name;
        _mark = new ThreadMark(this, Before: null);
        _maxThreads = maxThreads;
        Root = new ClassLimit<TSync>(MostRoot(maxThreads));
        _stackSize = stackSize;
        _threadSource = threadSource;
        _onFault = onFault;
        InFlight = new ClassCore<TSync>(WorkClass.InFlightName, startLimit, isInFlight: true);
        _classes = [];
        Ready = new ReadySet<TSync>(mostClasses + 1, IsReady);
        _used = new ReadySet<TSync>(mostClasses, IsUsed);
        Spare = new ReadySet<TSync>(mostWorkers, HasSpareLocal);
    }

    /// <summary>
    /// Root classes whose work may run and is not left to a running worker; those with a weight are one number. Noted by the code that queues, gives back a
    /// slot or raises a limit.
    /// </summary>
    public ReadySet<TSync> Ready { get; }

    /// <summary>
    /// Workers with local work that a thief may take. Noted by the owner without a fence: a thief that misses it loses time and not the item, which its owner
    /// runs. The owner notes it again with its next push and its next item, and the sizing thread when an item runs on.
    /// </summary>
    public ReadySet<TSync> Spare { get; }

    /// <summary>What blocks the workers.</summary>
    public BlockerTable<TSync> Blockers { get; } = new();

    /// <summary>The class of work that continues something already started.</summary>
    public ClassCore<TSync> InFlight { get; }

    /// <summary>
    /// Threads that all root classes may take together, and those that they have; items in flight that wait count too, because they keep theirs. Of two
    /// threads or more, one is left to work in flight, because the items that block the others may wait for such work.
    /// </summary>
    public ClassLimit<TSync> Root { get; }

    /// <summary>
    /// Whether more classes have work than there are threads for root work: workers then change the class after each item. Written by Sizing, a hint.
    /// </summary>
    public bool TakesTurns
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _takesTurns);
        set => TSync.RelaxedWrite(ref _takesTurns, value);
    }

    /// <summary>
    /// Whether local work waits behind an item that has run on for long: workers then look at the queues of others now and then, although they have work of
    /// their own. Written by Sizing, a hint.
    /// </summary>
    public bool HasHeldUp
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _hasHeldUp);
        set => TSync.RelaxedWrite(ref _hasHeldUp, value);
    }

    /// <summary>Root classes. Replaced as a whole when one is added.</summary>
    public ClassCore<TSync>[] Classes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _classes);
    }

    /// <summary>Whether a worker is idle that may run local work.</summary>
    // Reads only, no fence: a miss is repaired by the pushing worker itself, which runs the item unless another one does.
    private bool MayWakeForInFlight
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => !HasSearcher && !Idle.IsEmpty && InFlight.Limit.HasRoom;
    }

    /// <summary>Whether the shared in-flight queue may hold something.</summary>
    public bool MayHaveInFlight
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _inFlightQueued.Value) > 0;
    }

    public long Faulted => _faulted.Value;

    /// <summary>Called when work waits that no worker may take at present; wakes the sizing loop. Set before the first item.</summary>
    public Action OnHeldUp { get; set; } = static () => { };

    /// <summary>
    /// Whether the sizing loop is woken for the first item of a class that had none, even if it need not wait: a controller that decides whole also samples
    /// light loads. A hint.
    /// </summary>
    public bool TellsFirstWork { get; set; }

    /// <summary>Called when an item was found to block where it must not; wakes the blocking monitor. Set before the first item.</summary>
    public Action OnFinding { get; set; } = static () => { };

    /// <summary>Called by the sizing thread at each of its looks, with whether work waits; wakes the blocking monitor. Set before the first item.</summary>
    public Action<bool> OnLook { get; set; } = static _ => { };

    /// <summary>The core of a class of this pool; <see langword="null"/> for a class of another pool, and for none.</summary>
    public ClassCore<TSync>? CoreOf(WorkClass? owner) =>
        owner is { Core.Number: var number } && number < Classes.Length && ReferenceEquals(Classes[number].Owner, owner) ? Classes[number] : null;

    /// <summary>Adds a class. The caller holds the lock of the class map.</summary>
    public void AddClass(ClassCore<TSync> added)
    {
        added.Number = Classes.Length;
        TSync.RelaxedWrite(ref _classes, [.. Classes, added]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    private void Announce(ClassCore<TSync> target, int group)
    {
        if (!Publish())
        {
            HandOver(target);
            return;
        }

        // Before the sizing thread is looked at below: awake or not, it finds the class.
        if (_used.Note(target.Number) && TellsFirstWork)
        {
            OnHeldUp();
        }

        if (target.Limit.HasRoom && !IsBelowWakeThreshold(target) && NoteReady(target))
        {
            EnsureWorker(group);
        }
        else
        {
            // Mostly not ready for another worker: a worker that holds a slot notes that when it gives it back, or when it turns out not to be soon.
            OnHeldUp();
        }
    }

    [BypassReadyToRun]
    public void QueueInFlight(object item)
    {
        using OwedWake<TSync> owed = OweWake();
        EnqueueInFlight(item);
        if (!Publish())
        {
            HandOverInFlight();
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

    /// <summary>Adds to the shared in-flight queue without waking a worker.</summary>
    [BypassReadyToRun]
    public void EnqueueInFlight(object item)
    {
        // Counted before it can be taken: a thread that reads zero after a fence knows that nothing was queued before that fence. Workers look here before
        // every item, and a count is cheaper than the queue.
        TSync.Increment(ref _inFlightQueued.Value);
        try
        {
            InFlight.Queue.Enqueue(item);
        }
        catch (OutOfMemoryException)
        {
            // The item is not queued: the caller still has it.
            TSync.Decrement(ref _inFlightQueued.Value);
            throw;
        }
    }

    /// <summary>Takes from the shared in-flight queue.</summary>
    [BypassReadyToRun]
    public object? TryTakeInFlight()
    {
        if (!InFlight.Queue.TryDequeue(out object? item))
        {
            return null;
        }

        TSync.Decrement(ref _inFlightQueued.Value);
        return item;
    }

    /// <summary>Notes that a worker has local work to spare, and wakes another one for it. The owner only.</summary>
    [BypassReadyToRun]
    public void OfferLocal(Worker<TSync> owner)
    {
        // After a push there is no fence where the worker is noted already: a thread that drops it at this very moment, because it does not see the item yet,
        // misses it. The owner still owes the wake, as for a lone item.
        Spare.Note(owner.Id);
        if (MayWakeForInFlight)
        {
            EnsureWorker(owner.Group);
        }
    }

    /// <summary>Notes that a worker's lone item may be taken. Any thread; the caller looks for a worker next.</summary>
    public void OfferLoneItem(Worker<TSync> owner)
    {
        // Pairs with ReadySet.Clear: a thread that has just dropped the worker, because its lone item was its own, sees now that it is not.
        TSync.Fence();
        Spare.Note(owner.Id);
    }

    /// <summary>Wakes a worker for local work behind an item that runs on, which other workers may take now. Sizing only.</summary>
    public void WakeForHeldUp()
    {
        // Pairs with the fence of the thread that changes what is read next; the next look repairs a miss.
        TSync.Fence();
        if (MayWakeForInFlight)
        {
            EnsureWorker();
        }
    }

    /// <summary>Wakes workers for the work that a raised limit lets run. Sizing only, after <see cref="ClassCore{TSync}.SetLimit"/>.</summary>
    public void LookAfterRaise(ClassCore<TSync> raised)
    {
        if (LookAgain(raised))
        {
            RequestThreads();
        }
    }

    /// <summary>
    /// Wakes a worker for the work that waits while a deadlock holds: an idle worker is then a lent one, and may take what no limit allows. Monitor only.
    /// </summary>
    public void WakeLent()
    {
        if (QueuedCount() > 0 && !Idle.IsEmpty)
        {
            EnsureWorker();
        }
    }

    /// <inheritdoc/>
    public override bool HasEligibleWork()
    {
        bool restored = false;
        return (Root.HasRoom && (Ready.Find(0, Ready.Capacity, ref restored) >= 0 || restored)) || HasInFlightWork();
    }

    /// <summary>The same by looking at everything, for the audit. It finds what a set has lost.</summary>
    public bool HasEligibleWorkAnywhere() =>
        (Root.HasRoom && Array.Exists(Classes, candidate => candidate.IsEligible && (candidate.Share is null || Shares!.Slots.HasRoom)))
        || (InFlight.Limit.HasRoom && (MayHaveInFlight || Array.Exists(Workers, static worker => worker is { HasSpareLocal: true })));

    /// <summary>
    /// Whether work of this class waits that may run and that no running worker will take; the next look then finds it. Called after the change that may have
    /// made it so and a full fence; on <see langword="true"/> the caller looks for a worker.
    /// </summary>
    public bool MayRun(ClassCore<TSync> candidate) => candidate.IsEligible && (candidate.IsInFlight || NoteReady(candidate));

    /// <summary>
    /// Wakes a worker if work waits that may run. Called after a change of one class that queued work may have missed: a raised limit, or items that are no
    /// longer short.
    /// </summary>
    /// <returns>Whether work waits.</returns>
    public bool LookAgain(ClassCore<TSync> changed)
    {
        // Pairs with Publish: the thread that queued sees the change, or this thread sees the item.
        TSync.Fence();
        MayRun(changed);
        return LookAgain();
    }

    /// <summary>Whether in-flight work waits that may run now.</summary>
    public bool HasInFlightWork() => InFlight.Limit.HasRoom && (MayHaveInFlight || HasSpareLocal());

    /// <summary>Items waiting in queues and with workers; a hint.</summary>
    public long QueuedCount()
    {
        // Own queues first: work may move from there to the shared ones.
        long count = LocalCount();
        count += InFlight.Queue.Count;
        for (ClassCore<TSync>? candidate = NextUsed(0); candidate is not null; candidate = NextUsed(candidate.Number + 1))
        {
            count += candidate.Queue.Count;
        }

        return count;
    }

    /// <summary>Workers whose item is in a managed wait, for gauges.</summary>
    public int BlockedCount() => Workers.Count(static worker => worker is { IsSeenWaiting: true });

    /// <summary>Items completed.</summary>
    public long CompletedCount() => InFlight.Completed + Classes.Sum(static item => item.Completed);

    public int LocalCount()
    {
        int count = 0;
        Worker<TSync>?[] workers = Workers;
        for (int i = 0; i < workers.Length; i++)
        {
            count += TSync.RelaxedRead(ref workers[i])?.LocalCount ?? 0;
        }

        return count;
    }

    // A worker of a class of short items takes the next one sooner than a parked worker would wake. It owes the wake: it looks again after it gives its slot
    // back, pays before it waits, and the sizing thread pays within a tick when the item runs on.
    [BypassReadyToRun]
    private static bool IsBelowWakeThreshold(ClassCore<TSync> target)
    {
        int atMost = target.WakeThreshold;
        if (atMost == 0 || target.Limit.Active == 0)
        {
            return false;
        }

        if (target.IsServed)
        {
            return true;
        }

        // A look at the length takes the head of the queue away from the worker: where many may wait, a few more may. The number is scattered, so that of
        // several classes in turn none is left out.
        uint scattered = unchecked((uint)++t_queued * Scatter) >> ScatterShift;
        return (scattered & (uint)(WakeThresholdRule.LookOneIn(atMost) - 1)) != 0 || target.QueuedCount <= atMost;
    }

    private bool HasSpareLocal(int number) => WorkerOf(number) is { HasSpareLocal: true };

    /// <summary>Whether a worker has local work to spare. A hint.</summary>
    [BypassReadyToRun]
    public bool HasSpareLocal()
    {
        bool restored = false;
        return Spare.Find(0, Spare.Capacity, ref restored) >= 0 || restored;
    }
}
