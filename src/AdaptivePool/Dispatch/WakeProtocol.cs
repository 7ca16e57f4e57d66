namespace AdaptivePool.Dispatch;

/// <summary>
/// How queued work finds a sleeping worker and no wake is lost. <see cref="WorkerSet"/> is this with queues and threads; the model checker explores it with
/// small ones.
/// </summary>
/// <remarks>
/// Sleep protocol (rule R2). Work: enqueue, full fence (<see cref="Publish"/>), then <see cref="EnsureWorker"/>. Worker: publish as idle, full fence, look for
/// work again (<see cref="LieDown"/>). So of an enqueue and a worker that goes to sleep at least one sees the other. At most one woken worker searches at a
/// time; it holds the token <c>_searching</c>. Whoever queues work while the token is taken relies on its holder, who looks for more work after giving the
/// token back: when it has found an item (<see cref="FoundWork"/>), or when it has published itself as idle.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class WakeProtocol<TSync>
    where TSync : struct, ISync
{
    private readonly PaddedCounter _wakes = new();
    private readonly PaddedCounter _uselessWakes = new();
    private readonly int _creditor = TSync.NewCreditor();
    private PaddedInt _searching;
    private int _stopped;

    protected WakeProtocol() => Idle = new IdleWorkers<TSync>(this);

    public IdleWorkers<TSync> Idle { get; }

    public long Wakes => _wakes.Value;

    public long UselessWakes => _uselessWakes.Value;

    /// <summary>Whether the workers have ended for good.</summary>
    public bool Stopped
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _stopped) != 0;
    }

    /// <summary>Asks the starter thread for workers. Set before the first item.</summary>
    public Action RequestThreads { get; set; } = static () => { };

    /// <summary>Whether a woken worker is looking for work; a hint.</summary>
    /// <remarks>
    /// Acquire: pairs with the exchange in <see cref="EnsureWorker"/>. Who relies on the token owes nothing from then on; without it the audit could see that,
    /// and not the debt of whoever has the token.
    /// </remarks>
    protected bool HasSearcher
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.VolatileRead(ref _searching.Value) != 0;
    }

    /// <summary>The worker of a number; <see langword="null"/> when it has retired.</summary>
    public abstract Sleeper<TSync>? TryGet(int id);

    /// <summary>Whether work waits that may run now and that its owner does not run next anyway.</summary>
    public abstract bool HasEligibleWork();

    /// <summary>
    /// Whether a thread owes a wake here: it has changed what queued work depends on, or carries the token, and has not seen to a worker yet. For the audit.
    /// </summary>
    public bool IsOwed => OwedWake<TSync>.IsOwedTo(_creditor);

    /// <summary>
    /// Says that the caller owes a wake until the scope is disposed. Opened before what makes work ready by whoever is no worker between two items; without it
    /// the audit takes a thread that the system has put aside for a wake that was lost.
    /// </summary>
    public OwedWake<TSync> OweWake() => new(_creditor);

    /// <summary>Sees to it that a worker is on its way. Call it after publishing work and a full fence.</summary>
    /// <param name="group">The group whose workers come first.</param>
    [BypassReadyToRun]
    public void EnsureWorker(int group = IdleWorkers<TSync>.AnyGroup)
    {
        if (HasSearcher)
        {
            return;
        }

        // Before the token is taken: others rely on whoever has it.
        using OwedWake<TSync> owed = OweWake();

        // Pairs with ClearSearching: whoever finds the token taken relies on its holder, who looks for work after giving it back. For that only its atomicity
        // counts: the fences of caller and holder order. Releases: pairs with HasSearcher, which sees the debt with the token.
        while (TSync.OrderedCompareExchange(ref _searching.Value, 1, 0) == 0)
        {
            if (Idle.TryPop(group) is { } worker)
            {
                _wakes.Add(1);
                worker.Wake(retire: false);
                if (Idle.IsEmpty)
                {
                    // Keeps a spare parked for the wait hook; the starter thread makes it, because starting a thread holds its caller 65 us.
                    RequestThreads();
                }

                return;
            }

            ClearSearching();
            RequestThreads();

            // Pairs with LieDown: a worker that published itself while the token was taken here relied on this look.
            TSync.Fence();
            if (Idle.IsEmpty || !HasEligibleWork() || HasSearcher)
            {
                return;
            }
        }
    }

    /// <summary>
    /// Makes a worker that has nothing to do the searcher, as if it had been woken: whoever queues work relies on it and wakes nobody. It looks for work until
    /// it has found some (<see cref="FoundWork"/>) or ends its search.
    /// </summary>
    /// <returns><see langword="false"/> while another worker searches.</returns>
    // Acquires: pairs with ClearSearching; who searches sees what the last searcher has learned.
    public bool TryBeginSearch(Sleeper<TSync> worker) =>
        worker.IsSearching = worker.IsSearching || (!HasSearcher && TSync.OrderedCompareExchange(ref _searching.Value, 1, 0) == 0);

    /// <summary>Gives a searcher's token back. The caller fences, and then looks for work.</summary>
    public void EndSearch(Sleeper<TSync> searcher)
    {
        searcher.IsSearching = false;
        ClearSearching();
    }

    /// <summary>Gives the token back. The caller fences, and then looks for work.</summary>
    // Release: pairs with TryBeginSearch.
    public void ClearSearching() => TSync.VolatileWrite(ref _searching.Value, 0);

    /// <summary>Called by a searcher that has taken an item: whoever queued meanwhile saw a searcher and relied on the look here.</summary>
    public void FoundWork(Sleeper<TSync> searcher)
    {
        EndSearch(searcher);
        LookAgain();
    }

    /// <summary>
    /// Wakes a worker if work waits that may run. Called after a write that queued work may have missed: the token given back, a raised limit.
    /// </summary>
    /// <returns>Whether work waits.</returns>
    public bool LookAgain()
    {
        // Pairs with the fence between enqueue and the look at token and limit.
        TSync.Fence();
        if (!HasEligibleWork())
        {
            return false;
        }

        EnsureWorker();
        return true;
    }

    /// <summary>Makes an idle worker known to those who queue work, and looks for work once more. The worker sleeps next.</summary>
    public void LieDown(Sleeper<TSync> worker)
    {
        bool searched = worker.IsSearching;
        worker.IsSearching = false;
        Idle.Push(worker);
        if (searched)
        {
            _uselessWakes.Add(1);
            ClearSearching();
        }

        // Publish, fence, rescan: pairs with enqueue, fence, look for idle workers in EnsureWorker. Without the order an item could stay while all park.
        TSync.Fence();
        if (Stopped)
        {
            // Pairs with MarkStopped, whose caller retires whom it finds idle.
            Retire(int.MaxValue);
        }
        else if (HasEligibleWork())
        {
            // Wakes the top of the stack, which is this worker unless others came in between.
            EnsureWorker();
        }
    }

    /// <summary>Ends idle workers, at most the given number.</summary>
    public int Retire(int count)
    {
        int retired = 0;
        while (retired < count && Idle.TryPop() is { } worker)
        {
            worker.Wake(retire: true);
            retired++;
        }

        return retired;
    }

    /// <summary>
    /// Makes a queued item known; pairs with the fences of LieDown, FoundWork and ClassLimit.Release. Without it the item could stay while all park.
    /// </summary>
    /// <returns><see langword="false"/> when the workers have ended: the caller hands over what is queued.</returns>
    [BypassReadyToRun]
    protected bool Publish()
    {
        TSync.Fence();
        return !Stopped;
    }

    /// <summary>Says that the workers end. The caller hands over what is queued, then retires whom it finds idle.</summary>
    protected void MarkStopped()
    {
        TSync.RelaxedWrite(ref _stopped, 1);

        // Pairs with Publish: an item queued before is handed over by the caller, one queued later by its enqueuer. Pairs with LieDown: a worker that lies down
        // now is retired by one of the two.
        TSync.Fence();
    }
}
