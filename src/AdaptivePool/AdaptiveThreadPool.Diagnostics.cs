using System.Threading.Channels;
using AdaptivePool.Admission;
using AdaptivePool.Diagnostics;
using AdaptivePool.Dispatch;
using AdaptivePool.Guests;
using AdaptivePool.Runtime;

namespace AdaptivePool;

/// <remarks>
/// What the pool reports: its decisions, faults and warnings, its decision log, the classes whose requests run on the server's threads, and the runtime's pool
/// beside it.
/// </remarks>
public sealed partial class AdaptiveThreadPool
{
    private const int KeptDecisions = 1_024;
    private readonly Channel<ControllerTrace> _decisions = Channel.CreateBounded<ControllerTrace>(
        new BoundedChannelOptions(KeptDecisions) { FullMode = BoundedChannelFullMode.DropOldest });

    private readonly long _createdAt = Stopwatch.GetTimestamp();
    private readonly PoolMetrics _metrics;
    private readonly RuntimePoolWatch? _runtimePool;
    private DecisionLog? _decisionLog;

    /// <summary>
    /// Raised when the pool has written a limit. Handlers run on the sizing thread, must return quickly, and must not call <see cref="Environment.Exit"/>.
    /// <see cref="PoolSnapshot.Faulted"/> counts exceptions that a handler throws.
    /// </summary>
    public event EventHandler<ControllerTrace>? ClassResized;

    /// <summary>
    /// Raised when a work item ends with an exception that no other code observes, and when an event handler, a controller or a meter listener that the pool
    /// called throws one. Handlers run on the thread that ran the item or made the call. Tasks keep their exceptions and do not raise this event. What a
    /// handler of this event throws itself, at once or after an await, is ignored.
    /// </summary>
    public event EventHandler<Exception>? Faulted;

    /// <summary>
    /// Raised when something beside the pool's work fails and the pool continues without it. The handler gets a text that names the problem. The cases are:
    /// <see cref="AdaptivePoolOptions.DecisionLogFile"/> cannot be used (reported once); more classes are named than
    /// <see cref="AdaptivePoolOptions.MaxClasses"/> allows (reported once); the system allows the process so few threads that the pool cannot grow while work
    /// waits (reported once); the system lacks something that the pool can do without (reported once in a process). Handlers run on a thread of the pool that
    /// is not a worker; for a class that is too many, on the thread that names it. Warnings from before there was a handler are passed to the first handler
    /// when it is added, on the thread that adds it.
    /// <see cref="PoolSnapshot.Faulted"/> counts exceptions that a handler throws.
    /// </summary>
    public event EventHandler<string>? Warned
    {
        add
        {
            Warnings.Told += value;

            // Pairs with the fence in CreateElastic.
            Interlocked.MemoryBarrier();
            Volatile.Read(ref _elastic)?.Warnings.TellAgain();
            Warnings.TellAgain();
            if (value is not null && _surroundings.Platform.Take() is { } missing)
            {
                Warnings.Tell(missing);
            }
        }

        remove => Warnings.Told -= value;
    }

    /// <summary>
    /// All limits that the pool has written, with their reasons, oldest first. While more than 1,024 entries are unread, the pool drops the oldest. The channel
    /// completes when the pool has ended. Do not run a loop that reads until then on this pool: disposing the pool waits for all items that run on it.
    /// </summary>
    public ChannelReader<ControllerTrace> Decisions => _decisions.Reader;

    internal WarningHandlers Warnings { get; }

    private IPoolController CreateController(string className)
    {
        IPoolController created = _options.Sizing.CreateController is { } factory
            ? GuardedController.Create(factory, Set.ReportFault) : new HillClimbingController(_options.HillClimbing);

        // The options of the pool's own search do not apply to another controller.
        bool isOff = _options is { Sizing.CreateController: null, HillClimbing.LogEnabled: false };
        if (_options.DecisionLogFile is not { } path || created is FixedController || isOff)
        {
            return created;
        }

        // Only the sizing thread runs this code.
        _decisionLog ??= new DecisionLog(
            path,
            _options.Sizing.CreateController is null ? DecisionLogHeader.ForHillClimbing(_options.HillClimbing) : DecisionLogHeader.ForCustom(),
            Warnings.Tell,
            threads: _surroundings.OwnThreads);
        return new LoggingController(created, className, _decisionLog.Write, () => SinceCreation);
    }

    private void CloseDiagnostics()
    {
        _decisions.Writer.TryComplete();
        _surroundings.End.Unwatch();
        RealSync.Unregister(_stopping);
        Monitor.Stop();
        _runtimePool?.Leave(OnRuntimePoolStarved);
        GuestWatch.Process.Leave();
        _metrics.Dispose();
        _decisionLog?.Dispose();
    }

    internal void CountRefusal(string className, RefusalReason reason) => _metrics.CountRefusal(className, reason.ToString());

    private void OnDecision(ControllerTrace decided)
    {
        // Sizing has a clock of its own, which leaves out the time in which the process stood still.
        ControllerTrace trace = decided with { At = SinceCreation };
        _metrics.Count(trace);
        if (trace.Reason == DecisionReason.StallLoan)
        {
            Interlocked.Increment(ref _stalls);
        }

        _decisions.Writer.TryWrite(trace);
        Raise(ClassResized, trace);
    }

    /// <summary>Calls handlers on a thread that must continue whatever they do.</summary>
    private void Raise<T>(EventHandler<T>? told, T what)
    {
        // Not all threads that raise events belong to the pool. A handler that disposes the pool must not wait on such a thread: the end of the pool waits
        // for the threads that write its files.
        using WorkerSet.Entered entered = Set.EnterThread();
        told.Call(this, what, Set.ReportFault);
    }

    // An exception of such a handler, at once or after an await, cannot be reported anywhere. The fault itself is counted.
    private void OnFault(Exception exception)
    {
        if ((Faulted ?? _surroundings.Whole?.Faulted) is { } told)
        {
            WorkClass? current = (SynchronizationContext.Current as PoolSynchronizationContext)?.Owner;
            WorkClass owner = current?.Pool == this ? current : DefaultClass;
            using var context = new UnderContext(new PoolSynchronizationContext(owner, asTasks: false, isOfFaults: true));
            told.Call(this, exception, static _ => { });
        }
    }

    /// <summary>
    /// Raised when work waits in the runtime's pool for a second or longer, or would if threads had not been lent for guests that block. Code that blocks there
    /// delays the whole process, including a web server that reads requests. It is raised once in a process; if several pools watch, the first pool with a
    /// handler raises it. Handlers run on the watching thread and must return quickly. <see cref="PoolSnapshot.Faulted"/> counts exceptions that a handler
    /// throws. <see cref="AdaptivePoolOptions.WatchRuntimePool"/> turns this off.
    /// </summary>
    public event EventHandler<string>? RuntimePoolStarved;

    internal TimeSpan RuntimePoolDelay => _runtimePool?.Delay ?? TimeSpan.Zero;

    private bool OnRuntimePoolStarved(string message)
    {
        if (RuntimePoolStarved is not { } told)
        {
            return false;
        }

        Raise(told, message);
        return true;
    }

    /// <summary>
    /// Raised when <see cref="WorkClassSnapshot.HasGuests"/> of a class changes: its requests may run on the server's threads from now on, or no longer.
    /// Handlers run on a thread of the pool that is not a worker, and must return quickly. <see cref="PoolSnapshot.Faulted"/> counts exceptions that a handler
    /// throws.
    /// </summary>
    public event EventHandler<WorkClassSnapshot>? GuestsChanged;

    /// <summary>A class has no guests if the user has set its size, or if its controller wants to see all of its work.</summary>
    internal bool MayHaveGuests =>
        _options is { Guests: true, Sizing.CreateController: null } && _options.HillClimbing is not { Profile: ControllerProfile.SeedWave };

    internal void OnGuests(WorkClass workClass, TrustChange change, string reason)
    {
        bool areGuests = change == TrustChange.Earned;
        _metrics.CountGuests(workClass.Name, areGuests, change.ToString());
        if (GuestsChanged is { } told)
        {
            Raise(told, workClass.GetSnapshot() with { HasGuests = areGuests, GuestReason = reason });
        }
    }
}
