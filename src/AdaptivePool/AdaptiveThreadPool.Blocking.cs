using AdaptivePool.Blocking;

namespace AdaptivePool;

/// <remarks>What the pool knows of code that blocks its workers.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private static readonly AsyncLocal<BlockingAction?> s_blockingAction = new();
    private static bool s_hasBlockingActions;


    /// <summary>
    /// Most workers are blocked while work waits; at most once per <see cref="AdaptivePoolOptions.BlockingReportInterval"/>. Raised on the monitor's thread: a
    /// handler must return quickly; what it throws is counted in
    /// <see cref="PoolSnapshot.Faulted"/>.
    /// </summary>
    public event EventHandler<BlockingReport>? BlockingReported;

    /// <summary>
    /// The pool is deadlocked, or no longer: <see cref="AdaptivePoolOptions.MaxThreads"/> is reached, every worker with an item is blocked, work waits, and
    /// nothing has moved for <see cref="AdaptivePoolOptions.DeadlockTimeout"/>. Once at its begin and once at its end, as
    /// <see cref="BlockingReport.IsDeadlocked"/> says. Raised as <see cref="BlockingReported"/>.
    /// </summary>
    public event EventHandler<BlockingReport>? DeadlockChanged;

    /// <summary>
    /// Code blocked a worker although <see cref="BlockingAction.Warn"/> holds for it; once for each method, kind of wait and class, of at most 192. Raised as
    /// <see cref="BlockingReported"/>.
    /// </summary>
    public event EventHandler<Blocker>? BlockingFound;

    /// <summary>
    /// What happens when the code that runs now, and all that it awaits or starts, blocks a worker, of whichever pool. Default <see langword="null"/>: what the
    /// class and the pool say. It beats <see cref="WorkClass.BlockingAction"/> and <see cref="AdaptivePoolOptions.BlockingAction"/>, flows with the execution
    /// context and ends with it. Made for a test or an endpoint.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is no <see cref="AdaptivePool.BlockingAction"/>.</exception>
    public static BlockingAction? CurrentBlockingAction
    {
        get => s_blockingAction.Value;
        set
        {
            ThrowIfUnknown(value);

            // Never taken back. A worker that does not see it yet runs under a context that was captured before the value was set, too.
            Volatile.Write(ref s_hasBlockingActions, true);
            s_blockingAction.Value = value;
        }
    }

    /// <summary>The action of the present context, for a price only where one was ever set.</summary>
    internal static BlockingAction? FlowedBlockingAction => Volatile.Read(ref s_hasBlockingActions) ? s_blockingAction.Value : null;

    internal BlockingAction BlockingAction => _options.BlockingAction;

    internal BlockingMonitor Monitor { get; }

    /// <summary>
    /// Tells the pool that the code inside blocks where the pool could not see it at once. Does nothing on other threads than this pool's workers. Costs
    /// nanoseconds.
    /// </summary>
    /// <param name="reason">What blocks, in a few words; shown in <see cref="PoolSnapshot.BlockingReasons"/>.</param>
    public BlockingScope Blocking(string? reason = null) =>
        new(Worker.CurrentOf(Set), reason);

    /// <summary>
    /// Who blocks the workers: at most ten, those who block most workers now first, then by time. The times go on from the creation of the pool.
    /// </summary>
    public IReadOnlyList<Blocker> GetBlockers() => Monitor.Readings.Look(readings => BlockerList.Of(Set.Blockers, readings));

    internal static void ThrowIfUnknown(BlockingAction? value)
    {
        if (value is < BlockingAction.Ignore or > BlockingAction.Throw)
        {
            throw new ArgumentOutOfRangeException(nameof(value), value, "The action must be Ignore, Warn or Throw.");
        }
    }

    private BlockingMonitor WatchBlocking()
    {
        var monitor = new BlockingMonitor(
            Set,
            _options,
            report => BlockingReported?.Invoke(this, report),
            report =>
            {
                if (report.IsDeadlocked)
                {
                    _metrics.CountDeadlock();
                }

                DeadlockChanged?.Invoke(this, report);
            },
            found => BlockingFound?.Invoke(this, found));
        Set.OnFinding = monitor.WakeUp;
        Set.OnLook = waiting =>
        {
            if (waiting || Set.Root.Active > 0 || Set.InFlight.Limit.Active > 0)
            {
                // Not for a look at threads that are to end: nobody uses the pool then.
                _runtimePool?.WakeUp();
            }

            if (waiting)
            {
                monitor.WakeUp();
            }
        };
        return monitor;
    }

    private static WorkerSnapshot Describe(WorkerReading reading) => new()
    {
        Id = reading.Worker!.Id,
        State = reading.State,
        ClassName = reading.State == WorkerState.Idle ? null : reading.ClassName,
        ItemAge = TimeSpan.FromSeconds(reading.Age),
        Method = reading.Site?.Method,
        Kind = reading.IsBlocked ? reading.Site?.Kind ?? reading.Unnamed?.Kind : null,
        Reason = reading.State == WorkerState.Idle ? null : reading.Reason,
        IsEmergency = reading.Worker.IsEmergency,
    };
}
