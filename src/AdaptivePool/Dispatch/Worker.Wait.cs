using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

internal sealed partial class Worker<TSync>
{
    /// <summary>
    /// The first waits of a class that the hook sees are always looked at, so that sizing knows the class at once. Of later waits one in so many is looked at,
    /// as far as the pool's budget of looks goes.
    /// </summary>
    private const int AlwaysLookedAt = 8;
    private const int LookAtOneIn = 64;

    /// <summary>
    /// A wait that takes longer is named when the hook saw it, and counted when it was declared. A look at the stack costs 20 us: a thousandth of this, on a
    /// thread that has nothing else to do.
    /// </summary>
    public const int LongWaitMilliseconds = 20;

    /// <summary>The kind of declared waits: <see cref="Blocker.Kind"/>.</summary>
    public const string DeclaredKind = "Blocking scope";

    private int _waitDepth;
    private readonly ScopeNumbers _scopes = new();
    private int _scopeCount;
    private long _scopeSince;
    private string? _reason;
    private string? _waitingClass;
    private WaitSite? _site;
    private long _siteSince;
    private bool _slotLent;
    private nint _stackStart;
    private ClassCore<TSync>? _routedOf;

    /// <summary>Whether the item is in a wait that the hook saw, or inside <see cref="BlockingScope"/>.</summary>
    public bool Blocked
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _waitDepth) > 0;
    }

    /// <summary>Whether the item is inside <see cref="BlockingScope"/>.</summary>
    public bool IsDeclared => TSync.RelaxedRead(ref _scopeCount) > 0;

    /// <summary>What the outermost declared wait is for.</summary>
    public string? Reason => TSync.RelaxedRead(ref _reason);

    /// <summary>Where in the code the present wait is, if its stack was looked at.</summary>
    public WaitSite? Site => TSync.VolatileRead(ref _site);

    /// <summary>
    /// How far the present wait is one that loads no server, and how far one for a task, from 0 to 1: what its stack showed, or what waits of the class
    /// usually are for when the stack was not looked at. A hint for other threads.
    /// </summary>
    public (double Serverless, double ForTask) WaitShares(ClassCore<TSync> slot) => Site?.Target switch
    {
        WaitTarget.Task => (1, 1),
        WaitTarget.Local => (1, 0),
        WaitTarget.Network => (0, 0),
        _ => (slot.ServerlessWaitShare, slot.TaskWaitShare),
    };

    /// <summary>Timestamp at which the wait of <see cref="Site"/> began.</summary>
    public long SiteSince => TSync.RelaxedRead(ref _siteSince);

    /// <summary>Class of the code that waits in the hook; right only while <see cref="Blocked"/>.</summary>
    public string? WaitingClass => TSync.RelaxedRead(ref _waitingClass);

    /// <summary>Whether the present wait is the outermost of its item's nested waits. Own thread only.</summary>
    public bool IsOutermostWait => _waitDepth == 1;

    /// <summary>Opens a <see cref="BlockingScope"/> on the worker itself.</summary>
    /// <returns>Number of the scope.</returns>
    public long EnterScope(string? reason)
    {
        if (_scopeCount == 0)
        {
            TSync.RelaxedWrite(ref _reason, reason);
            _scopeSince = TSync.CoarseMilliseconds();
        }

        long number = _scopes.Open();
        TSync.RelaxedWrite(ref _scopeCount, _scopes.Count);
        EnterWait(null);
        return number;
    }

    /// <summary>Closes a <see cref="BlockingScope"/> on the worker itself, and the scopes inside it. Does nothing when it is closed already.</summary>
    public void LeaveScope(long number)
    {
        if (_scopes.PlaceOf(number) is >= 0 and var place)
        {
            CloseScopes(place);
        }
    }

    /// <summary>Scopes that are open. Own thread only.</summary>
    public int OpenScopes => _scopeCount;

    /// <summary>Called on the worker itself when its item starts to wait. Takes no lock that could enter the hook again. Waits inside it nest.</summary>
    /// <param name="owner">Class of the code that waits; <see langword="null"/> for a declared wait.</param>
    public void EnterWait(WorkClass? owner)
    {
        int depth = _waitDepth;
        TSync.RelaxedWrite(ref _waitDepth, depth + 1);
        if (depth > 0)
        {
            return;
        }

        TSync.RelaxedWrite(ref _waitingClass, owner?.Name);

        // An item that waits runs long, also where it was not timed. What the next items queue is not left to this worker, which may spin before it waits.
        TimeNextItems();
        if (_slot is not { } slot || (_sequence & 1) == 0)
        {
            return;
        }

        using (_set.OweWake())
        {
            // Gives out what this worker would have run next: the item may be waiting for it.
            _ = SpillLocal();
            if (slot.IsInFlight)
            {
                // In-flight work that waits makes room for other in-flight work; root work does not: that would be growth per database call (sizing study,
                // section 6).
                // The item keeps its thread, though: root work must not take the last one while it waits.
                _slotLent = true;
                slot.Limit.Release();
                _set.Root.Reacquire();
            }

            if (slot.IsServed)
            {
                // Waiting items were left to this worker, among others. From now on they are not, and Sizing keeps it so for a while.
                slot.TinyWorkers = int.MaxValue;
            }

            bool mayRunShared = HoldsShared && LendShared() && _set.Root.HasRoom;

            // Pairs with enqueue, fence, look for room: work queued before is seen here, work queued later sees the free slot.
            TSync.Fence();
            if (_set.HasInFlightWork() || _set.MayRun(slot) || mayRunShared)
            {
                _set.EnsureWorker();
            }
            else if (_set.Idle.IsEmpty && _set.MayGrow)
            {
                _set.RequestThreads();
            }
        }

        // Last: a look takes as long as several wakes, and no thread should have to wait for it.
        bool isDeclared = owner is null;
        if (slot.IsInFlight && _set.CoreOf(owner ?? ItemOwner) is { } core)
        {
            core.CountWait(isDeclared);
        }

        long number = slot.CountWait(isDeclared);
        if (!isDeclared && MayLookAt(number))
        {
            slot.CountSampledWait(Look(TimeSpan.Zero).Target);
        }
    }

    /// <summary>Called on the worker itself when its item goes on.</summary>
    public void LeaveWait()
    {
        int depth = _waitDepth - 1;
        TSync.RelaxedWrite(ref _waitDepth, depth);
        if (depth > 0)
        {
            return;
        }

        // First: the code after it may throw for want of memory.
        TakeBackShared();
        if (_slotLent)
        {
            // Past the limit if need be: the item goes on, and the worker takes no new one while too many are active (rule R5).
            _slotLent = false;
            using OwedWake<TSync> owed = _set.OweWake();
            _slot!.Limit.Reacquire();
            if (_set.Root.Release())
            {
                _set.LookAgain();
            }
        }

        if (_site is { } site)
        {
            TSync.RelaxedWrite(ref _site, null);
            _set.Blockers.Get(site.Method, site.Kind, null, _waitingClass!).Add(Stopwatch.GetElapsedTime(_siteSince, TSync.Timestamp()));
        }
    }

    /// <summary>Whether this wait is to be named once it turns out to be long. Own thread only, inside the wait.</summary>
    public bool MayNameWait => _waitDepth == 1 && _site is null && !WaitStack.IsDeep(_stackStart) && _set.Blockers.MayLook;

    /// <summary>Names a wait that has been going on. Own thread only, inside the wait.</summary>
    /// <param name="passed">How long it has been going on.</param>
    public void NameWait(TimeSpan passed)
    {
        if (!_set.Blockers.TryTakeLook())
        {
            return;
        }

        WaitSite site = Look(passed);
        if (_slot is { } slot && (_sequence & 1) != 0)
        {
            slot.CountSampledWait(site.Target);
        }
    }

    /// <summary>Does what a strict class wants done about the wait that the worker is in. Own thread only.</summary>
    /// <exception cref="BlockingNotAllowedException">The class wants the exception, and this wait may throw.</exception>
    public void Object(BlockingAction wanted) => Findings.Object(_set, wanted, _site ?? Look(TimeSpan.Zero), _waitingClass!);

    /// <summary>Whether to look at the stack of the wait with this number among those that the hook saw of its class.</summary>
    private bool MayLookAt(long number)
    {
        bool isFirst = number <= AlwaysLookedAt;
        return (isFirst || number % LookAtOneIn == 0) && !WaitStack.IsDeep(_stackStart) && (isFirst || _set.Blockers.TryTakeLook());
    }

    private WaitSite Look(TimeSpan passed)
    {
        WaitSite site = WaitStack.Look();
        TSync.Write(ref _siteSince, TSync.Timestamp() - (long)(passed.TotalSeconds * Stopwatch.Frequency));

        // Publishes the time: pairs with the monitor, which reads the site first.
        TSync.VolatileWrite(ref _site, site);
        return site;
    }

    /// <summary>
    /// Ends what is left at the end of an item: a scope that an await has carried to another thread or that was never disposed, or a wait whose end was lost
    /// to an exception.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndWaits()
    {
        CloseScopes(0);
        if (_waitDepth != 0)
        {
            TSync.RelaxedWrite(ref _waitDepth, 1);
            LeaveWait();
        }
    }

    /// <summary>Closes on the worker itself all scopes but the first <paramref name="from"/>.</summary>
    public void CloseScopes(int from)
    {
        int open = _scopeCount - from;
        if (open <= 0)
        {
            return;
        }

        string? reason = _reason;
        _scopes.CloseFrom(from);
        TSync.RelaxedWrite(ref _scopeCount, from);
        if (from == 0)
        {
            TSync.RelaxedWrite(ref _reason, null);
        }

        for (int i = 0; i < open; i++)
        {
            LeaveWait();
        }

        // A scope inside a wait that the hook saw is part of that wait.
        if (from == 0 && _waitDepth == 0 && TSync.CoarseMilliseconds() - _scopeSince is >= LongWaitMilliseconds and var length)
        {
            CountScope(reason, TimeSpan.FromMilliseconds(length));
        }
    }

    /// <summary>Counts a declared wait that was long. It needs no look at a stack, so it takes none of the budget for those.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountScope(string? reason, TimeSpan length)
    {
        if (OwnerName is { } className)
        {
            _set.Blockers.Get(null, DeclaredKind, reason, className).Add(length);
        }
    }

    /// <summary>Notes that an item with a route was taken, of the class whose slot is held. On the worker itself.</summary>
    public void NoteRouted() => _routedOf = _slot;

    /// <summary>Looks for work of any kind until some comes or the time is over, where that pays in the class.</summary>
    /// <returns>An item with its slot held; <see langword="null"/> when there is none.</returns>
    /// <remarks>
    /// Only the one searcher waits, so that the pool never keeps more than one core awake. It gives the core away at each look, because the thread that queues
    /// the next item may be waiting for it.
    /// </remarks>
    // A method of its own: pools that wait for nothing go to sleep without it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? WaitForNext(ClassCore<TSync> of)
    {
        _routedOf = null;
        if (_set.BatchWait is not { } wait || !_set.TryBeginSearch(this))
        {
            return null;
        }

        object? item = null;
        long begun = TSync.Timestamp();
        BatchRule batches = of.Batches ??= new BatchRule(wait.TotalSeconds);
        bool waits = batches.Observe(begun * s_secondsPerTick, of.Completed);
        if (waits)
        {
            long until = begun + (long)(wait.TotalSeconds * Stopwatch.Frequency);
            while ((item = Take()) is null && TSync.Timestamp() < until)
            {
                TSync.Yield();
            }

            if (item is null)
            {
                batches.HasWaitedInVain();
            }
        }

        if (item is null)
        {
            // A look takes a slot before it looks into a queue.
            ReleaseSlot();
            _set.EndSearch(this);
        }

        return item;
    }
}
