using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Sensing;

namespace AdaptivePool.Sizing;

/// <summary>Joins one class with its policy: turns counters into observations.</summary>
internal sealed class ClassSizing
{
    private readonly ClassCore _core;
    private readonly ClassSizePolicy _policy;

    // When an item last ended while others waited, or when no item waited; negative infinity while the items are held up.
    private double _progressedAt;
    private long _waits;
    private double _waitedAt = double.NegativeInfinity;

    public ClassSizing(ClassCore core, int maxLimit, IPoolController controller, AdaptivePoolOptions options)
    {
        _core = core;
        _core.IsFixed = controller is FixedController;
        var settings = new ClassSizeSettings
        {
            StartLimit = core.Limit.Value,
            Wished = options.InitialThreads ?? 0,
            MaxLimit = maxLimit,
            Name = core.Name,
            InFlight = core.IsInFlight,
            StallLimit = options.StallLimit,
            IdleTimeout = options.IdleTimeout,
        };
        _policy = new ClassSizePolicy(settings, controller);
    }

    public ClassCore Core => _core;

    public bool IsHog => _policy.IsHog;

    /// <summary>Whether a size is in force that no measurement has kept. The loop continues to look until that is settled.</summary>
    public bool HoldsUnverified => _policy.HoldsUnverified;

    /// <summary>
    /// The start size of a class about which nothing is known: the user's value, the number of cores, or the size of a fixed controller. A search that
    /// measures starts from a few threads and grows to the user's value, because a server remembers how many threads it has seen.
    /// </summary>
    public static int StartLimit(IPoolController? controller, AdaptivePoolOptions options)
    {
        (int cores, int maxThreads) = (Environment.ProcessorCount, options.MaxThreads);
        if (controller is FixedController { Size: var size })
        {
            return Math.Clamp(size, 1, maxThreads);
        }

        int start = Math.Min(options.InitialThreads ?? cores, maxThreads);
        bool isMeasured = controller is null && options.HillClimbing is null or { Profile: ControllerProfile.Adaptive, Enabled: true };
        return isMeasured ? Math.Min(start, ClassSizeSettings.SmallSizeOf(cores)) : start;
    }

    /// <summary>Items that had ended at the last look, cumulative.</summary>
    public long Completed => _policy.Completed;

    /// <summary>Asks the policy for a decision, and for the time of the next look.</summary>
    public ClassDecision Decide(
        WorkerWatch watch, in MachineObservation machine, PoolProgress ended, int queued, int least, double now, out TimeSpan nextLook)
    {
        ClassUse totals = watch.Of(_core);
        Generation generation = _core.Generation;
        (long taken, double waitedSeconds) = _core.Queue.Ages.Taken;
        double longService = _core.ServiceTimes.Percentile(0.99);
        var observation = new ClassObservation
        {
            Now = TimeSpan.FromSeconds(now),
            Limit = _core.Limit.Value,
            LimitSince = TimeSpan.FromSeconds(Math.Max(0, generation.Since)),
            Least = least,
            Active = _core.Limit.Active,
            Queued = queued,
            Taken = taken,
            WaitedSeconds = waitedSeconds,
            OldestWait = TimeSpan.FromSeconds(_core.Queue.Ages.OldestWait(QueueAges<RealSync>.Now)),

            // Work in flight belongs to all classes, though the default class runs it.
            Requests = _core.IsInFlight ? null : _core.Owner?.CountedConnections(),
            Completed = ended.OfClass,
            OthersCompleted = ended.OfOthers,
            InFlightCompleted = ended.InFlight,
            Generation = new(generation.Completed, generation.Timed, generation.ServiceSeconds, generation.ServiceSecondsSquared),
            Old = CountOld(totals.Ages, now - generation.Since, longService),
            Ages = totals.Ages,
            OldestItemAge = TimeSpan.FromSeconds(totals.Ages.Oldest),
            LongServiceSeconds = longService,
            MeanServiceSeconds = _core.ServiceTimes.Mean(),
            BlockedShare = totals.BlockedShare,
            SleepingShare = totals.SleepingShare,
            TaskWaitShare = totals.TaskWaitShare,
            DeclaredShare = totals.DeclaredShare,
            CpuShare = watch.CpuShare(_core),
            Cores = machine.WholeCores,
        };
        ClassDecision decision = _policy.Decide(observation, machine);
        nextLook = _policy.NextLook(observation);
        return decision;
    }

    /// <summary>Items in flight that began under another limit: see <see cref="ClassObservation.Old"/>.</summary>
    /// <param name="ages">How long each is held.</param>
    /// <param name="secondsOfLimit">For how long the limit has been in force.</param>
    /// <param name="longService">What takes long in this class, in seconds.</param>
    public static int CountOld(ItemAges ages, double secondsOfLimit, double longService)
    {
        if (secondsOfLimit >= ClassSizeSettings.PatienceFor(longService).TotalSeconds)
        {
            return 0;
        }

        (int waiting, int elsewhere) = ages.CountFrom(secondsOfLimit - ClassObservation.Grain.TotalSeconds);
        return waiting + elsewhere;
    }

    /// <summary>Decides to how many workers the class's tiny items are left until the next look.</summary>
    public void ObserveTinyItems(in MachineObservation machine, double now)
    {
        int queued = _core.QueuedCount;
        bool wasHeldUp = double.IsNegativeInfinity(_progressedAt);
        if (queued == 0 || (!wasHeldUp && _core.Completed != Completed))
        {
            _progressedAt = now;
        }

        long waits = _core.Waits;
        if (waits != _waits)
        {
            _waits = waits;
            _waitedAt = now;
        }

        bool isHeldUp = TinyItemWorkers.IsHeldUp(wasHeldUp, queued, now - _progressedAt);
        _progressedAt = isHeldUp ? double.NegativeInfinity : _progressedAt;
        _core.TinyWorkers = TinyItemWorkers.Next(queued, isHeldUp, now - _waitedAt, machine.IdleShare, machine.WholeCores);
    }

    /// <summary>Puts the merged limit in force. This is sizing's only write.</summary>
    /// <returns>Whether it was raised.</returns>
    public bool Adopt(int limit, double now)
    {
        _core.SizingState = _policy.State;
        _core.Verified = _policy.Verified;
        return limit != _core.Limit.Value && _core.SetLimit(limit, now);
    }

    public void Resize(int maxLimit) => _policy.Resize(maxLimit);
}
