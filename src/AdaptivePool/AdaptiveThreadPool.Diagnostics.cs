using System.Diagnostics;
using System.Threading.Channels;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Guests;
using AdaptivePool.Runtime;

namespace AdaptivePool;

/// <remarks>
/// What the pool tells about itself: decisions, faults, warnings, the decision log, whose requests run where the server put them; and about the runtime's pool
/// beside it.
/// </remarks>
public sealed partial class AdaptiveThreadPool
{
    private const int KeptDecisions = 1_024;
    private readonly Channel<ControllerTrace> _decisions = Channel.CreateBounded<ControllerTrace>(
        new BoundedChannelOptions(KeptDecisions) { FullMode = BoundedChannelFullMode.DropOldest });

    private readonly long _createdAt = Stopwatch.GetTimestamp();
    private readonly Lock _warning = new();
    private readonly List<string> _untold = [];
    private readonly PoolMetrics _metrics;
    private readonly RuntimePoolWatch? _runtimePool;
    private EventHandler<string>? _onWarning;
    private DecisionLog? _decisionLog;

    /// <summary>
    /// A limit was written. Raised on the sizing thread: a handler must return quickly; what it throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </summary>
    public event EventHandler<ControllerTrace>? ClassResized;

    /// <summary>
    /// A work item ended with an exception that nobody else observes. Raised on the worker that ran it. Tasks keep their exceptions and do not come here.
    /// </summary>
    public event EventHandler<Exception>? Faulted;

    /// <summary>
    /// Something beside the pool's work does not function, and the pool goes on without it; the handler gets a text that names it.
    /// <see cref="AdaptivePoolOptions.DecisionLogFile"/> cannot be used; once. More classes are named than
    /// <see cref="AdaptivePoolOptions.MaxClasses"/>; once. The system lacks something that the pool can do without; once in a process.
    /// Raised on a thread of the pool that is no worker; what happened before there was a listener is told to the first handler when it is added, on the thread
    /// that adds it. What a handler throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </summary>
    public event EventHandler<string>? Warned
    {
        add
        {
            List<string> untold = [];
            lock (_warning)
            {
                _onWarning += value;
                if (_onWarning is not null)
                {
                    untold.AddRange(_untold);
                    _untold.Clear();
                }
            }

            if (value is not null && _surroundings.Platform.Take() is { } missing)
            {
                untold.Add(missing);
            }

            foreach (string message in untold)
            {
                Warn(message);
            }
        }

        remove
        {
            lock (_warning)
            {
                _onWarning -= value;
            }
        }
    }

    /// <summary>
    /// Every limit written and why, oldest first; the oldest are dropped when nobody reads more than 1,024. Complete when the pool has ended: a loop that reads
    /// until then belongs elsewhere, because disposing waits for what runs on the pool.
    /// </summary>
    public ChannelReader<ControllerTrace> Decisions => _decisions.Reader;

    /// <summary>Whether a warning waits for the first handler. A hint: it is not asked under the lock.</summary>
    internal bool HasUntoldWarning => _untold.Count > 0;

    private IPoolController CreateController(string className)
    {
        IPoolController created = _options.Sizing.CreateController is { } factory
            ? GuardedController.Create(factory, Set.ReportFault) : new HillClimbingController(_options.HillClimbing);
        if (_options.DecisionLogFile is not { } path || created is FixedController || _options.HillClimbing is { LogEnabled: false })
        {
            return created;
        }

        // Only the sizing thread comes here.
        _decisionLog ??= new DecisionLog(
            path,
            _options.Sizing.CreateController is null ? DecisionLogHeader.ForHillClimbing(_options.HillClimbing) : DecisionLogHeader.ForCustom(),
            Warn);
        return new LoggingController(created, className, _decisionLog.Write, () => SinceCreation);
    }

    private void CloseDiagnostics()
    {
        _decisions.Writer.TryComplete();
        Monitor.Stop();
        _runtimePool?.Leave(OnRuntimePoolStarved);
        GuestWatch.Process.Leave();
        _metrics.Dispose();
        _decisionLog?.Dispose();
    }

    internal void CountRefusal(string className, RefusalReason reason) => _metrics.CountRefusal(className, reason.ToString());

    private void OnDecision(ControllerTrace trace)
    {
        _metrics.Count(trace);
        if (trace.Reason == DecisionReason.StallLoan)
        {
            Interlocked.Increment(ref _stalls);
        }

        _decisions.Writer.TryWrite(trace);
        Raise(ClassResized, trace);
    }

    /// <summary>Tells handlers, on a thread that must go on whatever they do.</summary>
    private void Raise<T>(EventHandler<T>? told, T what)
    {
        try
        {
            told?.Invoke(this, what);
        }
        catch (Exception exception)
        {
            Set.ReportFault(exception);
        }
    }

    private void Warn(string message)
    {
        EventHandler<string>? told;
        lock (_warning)
        {
            told = _onWarning;
            if (told is null)
            {
                _untold.Add(message);
                return;
            }
        }

        // The threads that write the files are no others': the end of the pool waits for them.
        WorkerSet? before = Set.EnterThread();
        Raise(told, message);
        WorkerSet.LeaveThread(before);
    }

    private void OnFault(Exception exception)
    {
        try
        {
            Faulted?.Invoke(this, exception);
        }
        catch (Exception)
        {
            // A handler that throws has no one left to report to; the fault itself is counted.
        }
    }

    /// <summary>
    /// Work waits in the runtime's pool for a second or longer: code that blocks there holds up the whole process, a web server's reading of requests included.
    /// Once in a process; where several pools watch, the first that has a handler is told. Raised on a thread of the watch: a handler must return quickly; what
    /// it throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// <see cref="AdaptivePoolOptions.WatchRuntimePool"/> switches it off.
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
    /// The requests of a class run where the server put them from now on, or no longer, as <see cref="WorkClassSnapshot.HasGuests"/> says. Raised on a thread
    /// of the pool that is no worker: a handler must return quickly; what it throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </summary>
    public event EventHandler<WorkClassSnapshot>? GuestsChanged;

    /// <summary>A class with a size of the user's, or whose controller wants to see all of its work, has no guests.</summary>
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
