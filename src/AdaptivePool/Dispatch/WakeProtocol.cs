namespace AdaptivePool.Dispatch;

/// <summary>
/// How queued work finds a sleeping worker so that no wake is lost. <see cref="WorkerSet"/> is this protocol with queues and threads; the model checker
/// explores it with small ones.
/// </summary>
/// <remarks>
/// Sleep protocol (rule R2). Work: enqueue, full fence (<see cref="Publish"/>), then <see cref="EnsureWorker"/>. Worker: publish as idle, full fence, look for
/// work again (<see cref="LieDown"/>). So of an enqueue and a worker that goes to sleep at least one sees the other. At most one woken worker searches at a
/// time; it holds the token <c>_searching</c>. A thread that queues work while the token is taken relies on its holder. The holder looks for more work after
/// it gives the token back: when it has found an item (<see cref="FoundWork"/>), or when it has published itself as idle.
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

    /// <summary>Whether the workers end or have ended. Never reset.</summary>
    public bool Stopped
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _stopped) != 0;
    }

    /// <summary>Asks the starter thread for workers. Set before the first item.</summary>
    public Action RequestThreads { get; set; } = static () => { };

    /// <summary>Whether a woken worker is looking for work; a hint.</summary>
    /// <remarks>
    /// Acquire: pairs with the exchange in <see cref="EnsureWorker"/>. A thread that relies on the token owes nothing from then on. Without the acquire, the
    /// audit could see that, but not the debt of the thread that has the token.
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
    /// Whether a thread owes a wake here: it has changed what queued work depends on, or carries the token, and has not yet made sure that a worker is on its
    /// way. For the audit.
    /// </summary>
    public bool IsOwed => OwedWake<TSync>.IsOwedTo(_creditor);

    /// <summary>
    /// Marks that the caller owes a wake until the scope is disposed. Every thread but a worker between two items opens it before it makes work ready. Without
    /// it, the audit takes a thread that the system has put aside for a wake that was lost.
    /// </summary>
    public OwedWake<TSync> OweWake() => new(_creditor);

    /// <summary>Makes sure that a worker is on its way. Called after publishing work and a full fence.</summary>
    /// <param name="group">The group whose workers come first.</param>
    [BypassReadyToRun]
    public void EnsureWorker(int group = IdleWorkers<TSync>.AnyGroup)
    {
        if (HasSearcher)
        {
            return;
        }

        // Before the token is taken: other threads rely on its holder.
        using OwedWake<TSync> owed = OweWake();

        // Pairs with ClearSearching: a thread that finds the token taken relies on its holder, which looks for work after it gives the token back. For that
        // only its atomicity counts: the fences of caller and holder order. Releases: pairs with HasSearcher, which sees the debt with the token.
        while (TSync.OrderedCompareExchange(ref _searching.Value, 1, 0) == 0)
        {
            if (Idle.TryPop(group) is { } worker)
            {
                _wakes.Add(1);
                worker.Wake(retire: false);
                if (Idle.IsEmpty)
                {
                    // Keeps a spare parked for the wait hook. The starter thread makes it, because starting a thread holds its caller 65 us.
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
    /// Makes a worker that has nothing to do the searcher, as if it had been woken: a thread that queues work relies on it and wakes no worker. It looks for
    /// work until it has found some (<see cref="FoundWork"/>) or ends its search.
    /// </summary>
    /// <returns><see langword="false"/> while another worker searches.</returns>
    // Acquires: pairs with ClearSearching; a worker that searches sees what the last searcher has learned.
    public bool TryBeginSearch(Sleeper<TSync> worker) =>
        worker.IsSearching = worker.IsSearching || (!HasSearcher && TSync.OrderedCompareExchange(ref _searching.Value, 1, 0) == 0);

    /// <summary>Gives a searcher's token back. The caller then fences and looks for work.</summary>
    public void EndSearch(Sleeper<TSync> searcher)
    {
        searcher.IsSearching = false;
        ClearSearching();
    }

    /// <summary>Gives the token back. The caller then fences and looks for work.</summary>
    // Release: pairs with TryBeginSearch.
    public void ClearSearching() => TSync.VolatileWrite(ref _searching.Value, 0);

    /// <summary>Called by a searcher that has taken an item: a thread that queued meanwhile saw a searcher and relied on the look here.</summary>
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

    /// <summary>Makes an idle worker known to the threads that queue work, and looks for work once more. The worker sleeps next.</summary>
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
            // Pairs with MarkStopped, whose caller retires the workers that it finds idle.
            Retire(int.MaxValue);
        }
        else if (HasEligibleWork())
        {
            // Wakes the top of the stack, which is this worker unless other workers came in between.
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
    /// <returns><see langword="false"/> when the workers have ended: the caller then hands over what is queued.</returns>
    [BypassReadyToRun]
    protected bool Publish()
    {
        TSync.Fence();
        return !Stopped;
    }

    /// <summary>Marks that the workers end. The caller hands over what is queued, then retires the workers that it finds idle.</summary>
    protected void MarkStopped()
    {
        TSync.RelaxedWrite(ref _stopped, 1);

        // Pairs with Publish: the caller hands over an item that was queued before; the thread that queues a later item hands that over. Pairs with LieDown:
        // one of the two retires a worker that lies down now.
        TSync.Fence();
    }
}
