using AdaptivePool.Blocking;
using AdaptivePool.Guests;

namespace AdaptivePool;

/// <remarks>What the pool knows about code that blocks its workers.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private static readonly AsyncLocal<BlockingAction?> s_blockingAction = new();
    private static bool s_hasBlockingActions;

    /// <summary>
    /// Raised when most workers are blocked while work waits; at most once per <see cref="AdaptivePoolOptions.BlockingReportInterval"/>. Handlers run on the
    /// monitor's thread and must return quickly. <see cref="PoolSnapshot.Faulted"/> counts exceptions that a handler throws.
    /// </summary>
    public event EventHandler<BlockingReport>? BlockingReported;

    /// <summary>
    /// Raised when the pool becomes deadlocked, and once more when the deadlock ends; <see cref="BlockingReport.IsDeadlocked"/> tells which. A pool is
    /// deadlocked when <see cref="AdaptivePoolOptions.MaxThreads"/> or the size that <see cref="PoolSizing.Fixed"/> sets is reached, every worker with an item
    /// is blocked, work waits, and nothing has progressed for <see cref="AdaptivePoolOptions.DeadlockTimeout"/>. Handlers run as for
    /// <see cref="BlockingReported"/>.
    /// </summary>
    public event EventHandler<BlockingReport>? DeadlockChanged;

    /// <summary>
    /// Raised when code blocks a worker although <see cref="BlockingAction.Warn"/> applies to it. It is raised once for each combination of method, kind of
    /// wait and class, for at most 192 combinations. Handlers run as for <see cref="BlockingReported"/>.
    /// </summary>
    public event EventHandler<Blocker>? BlockingFound;

    /// <summary>
    /// What happens when the current code, or any code that it awaits or starts, blocks a worker of any pool. Default <see langword="null"/>: the setting of
    /// the class or of the pool applies. A value takes precedence over <see cref="WorkClass.BlockingAction"/> and
    /// <see cref="AdaptivePoolOptions.BlockingAction"/>. It flows with the execution context and ends with it. Use it for a single test or endpoint.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a defined <see cref="AdaptivePool.BlockingAction"/>.</exception>
    public static BlockingAction? CurrentBlockingAction
    {
        get => s_blockingAction.Value;
        set
        {
            ThrowIfUnknown(value);

            // The flag is never reset. A worker that does not see it yet runs under a context that was captured before the value was set.
            Volatile.Write(ref s_hasBlockingActions, true);
            s_blockingAction.Value = value;
        }
    }

    /// <summary>Whether <see cref="CurrentBlockingAction"/> was ever set.</summary>
    internal static bool HasBlockingActions => Volatile.Read(ref s_hasBlockingActions);

    /// <summary>The action of the present context. The lookup has a cost only once an action was set.</summary>
    internal static BlockingAction? FlowedBlockingAction => HasBlockingActions ? s_blockingAction.Value : null;

    internal BlockingAction BlockingAction => _options.BlockingAction;

    internal BlockingMonitor Monitor { get; }

    /// <summary>
    /// Tells the pool that the code inside the scope blocks, where the pool could not detect it at once. In a guest of this pool it does what
    /// <see cref="BlockingScope.Enter"/> says, and nothing on threads that are not workers of this pool. Costs nanoseconds. Not for calls of a server that
    /// serves only few callers at once: see <see cref="BlockingScope"/>.
    /// </summary>
    /// <param name="reason">What blocks, in a few words; shown in <see cref="PoolSnapshot.BlockingReasons"/>.</param>
    public BlockingScope Blocking(string? reason = null) =>
        Worker.CurrentOf(Set) is { } worker ? new(worker, reason) : new(GuestSlot.RunningOf(this));

    /// <summary>
    /// Gets the code that blocks the workers: at most ten entries. Code that blocks the most workers now comes first, then the longest total time. The times
    /// count from the creation of the pool.
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
            report => Raise(BlockingReported ?? _surroundings.Whole?.BlockingReported, report),
            report =>
            {
                if (report.IsDeadlocked)
                {
                    _metrics.CountDeadlock();
                }

                Raise(DeadlockChanged ?? _surroundings.Whole?.DeadlockChanged, report);
            },
            found => Raise(BlockingFound ?? _surroundings.Whole?.BlockingFound, found));
        Set.OnFinding = monitor.WakeUp;
        Set.OnLook = waiting =>
        {
            if (waiting || Set.Root.Active > 0 || Set.InFlight.Limit.Active > 0)
            {
                // Not for a look at threads that are to end: the pool has no work then.
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
