using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

/// <summary>The state of a work class that workers and sizing use: its queue, its limit, its statistics.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ClassCore<TSync>(string name, int startLimit, bool isInFlight)
    where TSync : struct, ISync
{
    private readonly PaddedCounter _completed = new();
    private readonly PaddedCounter _waits = new();
    private readonly PaddedCounter _declaredWaits = new();

    // By WaitTarget.
    private readonly PaddedCounter[] _sampledWaits = [new(), new(), new()];
    private Generation<TSync> _generation = new();
    private ClassShare<TSync>? _share;
    private RunTimes<TSync>? _runs;
    private long _leftOut;
    private int _wakeThreshold;
    private bool _isFixed;
    private int _tinyWorkers = TinyItemWorkers.Usual(Environment.ProcessorCount);

    public string Name { get; } = name;

    /// <summary>
    /// Whether this is the class of work that continues something already started. It has no limit per endpoint; a wait that the hook sees frees its slot.
    /// </summary>
    public bool IsInFlight { get; } = isInFlight;

    /// <summary>Number among the root classes. Set once, before the first item.</summary>
    public int Number { get; set; }

    public PriorityLanes<TSync> Queue { get; } = new();

    public ClassLimit<TSync> Limit { get; } = new(startLimit);

    public ServiceTimeHistogram<TSync> ServiceTimes { get; } = new();

    /// <summary>How long timed items run; <see langword="null"/> while no code asks for it.</summary>
    // Acquire, and release: a thread that sees the sums sees them whole.
    public RunTimes<TSync>? Runs { get => TSync.VolatileRead(ref _runs); set => TSync.VolatileWrite(ref _runs, value); }

    /// <summary>Statistics of items that start now.</summary>
    public Generation<TSync> Generation
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _generation);
    }

    public long Completed => _completed.Value;

    /// <summary>Items that were taken and do not count as completed.</summary>
    public long LeftOut => TSync.RelaxedRead(ref _leftOut);

    public int PeakLimit { get; private set; } = startLimit;

    /// <summary>The public face of the class. It holds the contexts that the items run under. Set once, before the first item.</summary>
    public WorkClass Owner { get; set; } = null!;

    /// <summary>
    /// What the class has used and is owed while it has a weight; <see langword="null"/> while it has none. Written by
    /// <see cref="WorkerSet{TSync}.SetWeight"/>.
    /// </summary>
    // Acquire: pairs with SetShare. A thread that sees a share sees the set of classes that it belongs to.
    public ClassShare<TSync>? Share
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.VolatileRead(ref _share);
    }

    /// <summary>The last share of the class, also when it has no weight any more.</summary>
    public ClassShare<TSync>? FormerShare { get; private set; }

    /// <summary>
    /// Whether workers wait for the next routed item of the class; <see langword="null"/> before the first. Only the searcher writes it; for other threads it
    /// is a hint.
    /// </summary>
    public BatchRule? Batches { get; set; }

    /// <summary>Written by Sizing only.</summary>
    public string SizingState { get; set; } = "Start";

    /// <summary>Written by Sizing only.</summary>
    public int Verified { get; set; }

    /// <summary>Whether the limit is a user's fixed size, so that no thread is lent for stuck items. Written by Sizing only, a hint.</summary>
    public bool IsFixed { get => TSync.RelaxedRead(ref _isFixed); set => TSync.RelaxedWrite(ref _isFixed, value); }

    /// <summary>
    /// Items of the class that may wait for a running worker before another is woken; 0 after an item that took longer than a wake. Written by workers, a hint.
    /// </summary>
    public int WakeThreshold
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _wakeThreshold);
        set => TSync.RelaxedWrite(ref _wakeThreshold, value);
    }

    /// <summary>Whether the last item of the class that was timed was shorter than a wake. A hint.</summary>
    public bool HasShortItems => WakeThreshold > 0;

    /// <summary>Workers of the class that tiny items are left to. Written by Sizing, a hint.</summary>
    public int TinyWorkers
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _tinyWorkers);
        set => TSync.RelaxedWrite(ref _tinyWorkers, value);
    }

    /// <summary>
    /// Whether the running workers leave nothing to do for another one: items are tiny, and as many workers run as can beside the thread that queues them.
    /// These workers owe the wake. A hint.
    /// </summary>
    public bool IsServed
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => WakeThresholdRule.IsTiny(WakeThreshold) && Limit.Active >= TinyWorkers;
    }

    /// <summary>Whether one worker of the class is too many. A hint.</summary>
    public bool IsOverserved
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => WakeThresholdRule.IsTiny(WakeThreshold) && Limit.Active > TinyWorkers;
    }

    /// <summary>Items in the class's queue.</summary>
    public int QueuedCount => Queue.Count;

    /// <summary>Whether root work waits that may run and that no running worker will take. A hint while other threads work here.</summary>
    public bool IsEligible => !Queue.IsEmpty && Limit.HasRoom && !IsServed;

    /// <summary>
    /// Waits of the class's items that the pool could see, through the hook or declared, on any slot: as root work or in flight. The class of work in flight
    /// counts the waits in flight of all classes. Waits are counted where an item starts to wait, so that items that do not wait pay nothing.
    /// </summary>
    public long Waits => _waits.Value + _declaredWaits.Value;

    /// <summary>Share of the sampled hook waits of this class that waited for a task.</summary>
    public double TaskWaitShare => ShareOf(SampledWaits(WaitTarget.Task));

    /// <summary>Share of the sampled hook waits of this class that waited for a task or for something else inside the process: they load no server.</summary>
    public double ServerlessWaitShare => ShareOf(SampledWaits(WaitTarget.Task) + SampledWaits(WaitTarget.Local));

    /// <summary>Gives the class a share, or takes it away.</summary>
    public void SetShare(ClassShare<TSync>? share)
    {
        FormerShare = share ?? FormerShare;
        WakeThreshold = 0;

        // Release: pairs with Share.
        TSync.VolatileWrite(ref _share, share);
    }

    public void AddCompleted(long count) => _completed.Add(count);

    // A statistic: additions must not be lost; their order does not matter.
    public void CountLeftOut() => TSync.Add(ref _leftOut, 1);

    /// <summary>Puts a limit in force. Sizing only.</summary>
    /// <param name="limit">The limit, in threads.</param>
    /// <param name="now">The current time, in seconds on sizing's clock; without one, the limit counts as always in force.</param>
    /// <returns>Whether the limit was raised: see <see cref="WorkerSet{TSync}.LookAfterRaise"/>.</returns>
    public bool SetLimit(int limit, double now = double.NegativeInfinity)
    {
        bool isRaised = limit > Limit.Value;

        // The generation is published first: an item that starts under the new limit is never counted for the old one.
        TSync.RelaxedWrite(ref _generation, new Generation<TSync>(now));
        Limit.Set(limit);
        PeakLimit = Math.Max(PeakLimit, limit);
        return isRaised;
    }

    /// <summary>Counts a wait of the class's work that the hook saw, or that the item declared.</summary>
    /// <returns>How many waits of this kind the class has had.</returns>
    public long CountWait(bool isDeclared) => (isDeclared ? _declaredWaits : _waits).Add(1);

    /// <summary>Counts a hook wait whose stack was looked at.</summary>
    public void CountSampledWait(WaitTarget target) => _sampledWaits[(int)target].Add(1);

    /// <summary>
    /// Halves the weight of the waits looked at so far, because a class may change what it does. Sizing only; waits that workers add meanwhile stay.
    /// </summary>
    public void DecaySampledWaits() => Array.ForEach(_sampledWaits, static counter => counter.Add(-(counter.Value / 2)));

    private long SampledWaits(WaitTarget target) => _sampledWaits[(int)target].Value;

    private double ShareOf(long part)
    {
        long all = SampledWaits(WaitTarget.Task) + SampledWaits(WaitTarget.Local) + SampledWaits(WaitTarget.Network);
        return all == 0 ? 0 : Math.Min(1, (double)part / all);
    }
}
