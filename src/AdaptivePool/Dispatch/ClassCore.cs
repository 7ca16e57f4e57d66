using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

/// <summary>What workers and sizing know of a work class: its queue, its limit, its statistics.</summary>
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

    /// <summary>How long timed items run, for whoever asks; <see langword="null"/> while nobody does.</summary>
    // Acquire, and release: whoever sees the sums sees them whole.
    public RunTimes<TSync>? Runs { get => TSync.VolatileRead(ref _runs); set => TSync.VolatileWrite(ref _runs, value); }

    /// <summary>Statistics of items that start now.</summary>
    public Generation<TSync> Generation
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _generation);
    }

    public long Completed => _completed.Value;

    /// <summary>Items that were taken and are not to count as completed.</summary>
    public long LeftOut => TSync.RelaxedRead(ref _leftOut);

    public int PeakLimit { get; private set; } = startLimit;

    /// <summary>The public face of the class; the contexts its items run under hang there. Set once, before the first item.</summary>
    public WorkClass Owner { get; set; } = null!;

    /// <summary>
    /// What the class has used and is owed while it has a weight; <see langword="null"/> while it has none. Written by
    /// <see cref="WorkerSet{TSync}.SetWeight"/>.
    /// </summary>
    // Acquire: pairs with SetShare; whoever sees a share sees the classes that it is one of.
    public ClassShare<TSync>? Share
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.VolatileRead(ref _share);
    }

    /// <summary>The same, also when the class has no weight any more.</summary>
    public ClassShare<TSync>? FormerShare { get; private set; }

    /// <summary>
    /// Whether workers wait for its next item with a route; <see langword="null"/> before the first. Written by the searcher only, for others a hint.
    /// </summary>
    public BatchRule? Batches { get; set; }

    /// <summary>Written by Sizing only.</summary>
    public string SizingState { get; set; } = "Start";

    /// <summary>Written by Sizing only.</summary>
    public int Verified { get; set; }

    /// <summary>Whether the limit is a user's fixed size, so that no thread is lent to what is stuck. Written by Sizing only, a hint.</summary>
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
    /// Whether the workers that run leave nothing to do for another one: items are tiny, and as many run as can beside the thread that queues them. They owe
    /// the wake; a hint.
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

    /// <summary>Whether root work waits that may run and that no running worker sees to. A hint when others work here.</summary>
    public bool IsEligible => !Queue.IsEmpty && Limit.HasRoom && !IsServed;

    /// <summary>
    /// Waits of the class's items that the pool could see, through the hook or declared, on whichever slot they ran: as root work or in flight. Those of the
    /// class of work in flight are those of all classes. Counted where an item starts to wait, so that items that do not wait pay nothing.
    /// </summary>
    public long Waits => _waits.Value + _declaredWaits.Value;

    /// <summary>Share of the sampled hook waits of this class that waited for a task.</summary>
    public double TaskWaitShare => ShareOf(SampledWaits(WaitTarget.Task));

    /// <summary>Share of the sampled hook waits of this class that waited for a task or for something else inside the process: no server minds them.</summary>
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

    // A statistic: additions must not be lost, their order means nothing.
    public void CountLeftOut() => TSync.Add(ref _leftOut, 1);

    /// <summary>Puts a limit in force. Sizing only.</summary>
    /// <param name="limit">The limit, in threads.</param>
    /// <param name="now">The present time, in seconds on sizing's clock; since ever by default.</param>
    /// <returns>Whether it was raised: see <see cref="WorkerSet{TSync}.LookAfterRaise"/>.</returns>
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
    /// <returns>How many of its kind there were of the class.</returns>
    public long CountWait(bool isDeclared) => (isDeclared ? _declaredWaits : _waits).Add(1);

    /// <summary>Counts a hook wait whose stack was looked at.</summary>
    public void CountSampledWait(WaitTarget target) => _sampledWaits[(int)target].Add(1);

    /// <summary>Halves the weight of the waits looked at so far: a class may change what it does. Sizing only; what workers add meanwhile stays.</summary>
    public void DecaySampledWaits() => Array.ForEach(_sampledWaits, static counter => counter.Add(-(counter.Value / 2)));

    private long SampledWaits(WaitTarget target) => _sampledWaits[(int)target].Value;

    private double ShareOf(long part)
    {
        long all = SampledWaits(WaitTarget.Task) + SampledWaits(WaitTarget.Local) + SampledWaits(WaitTarget.Network);
        return all == 0 ? 0 : Math.Min(1, (double)part / all);
    }
}
