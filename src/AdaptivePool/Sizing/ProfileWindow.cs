using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>The workload profile of a class over the last tenths of a second: sums that fade, so that a change of the work shows at once and a pause leaves the last values standing.</summary>
internal sealed class ProfileWindow
{
    // As short as a change must be seen, unless that would hold too few items to speak of a mean.
    private const double FadeSeconds = 0.06;
    private const double SlowFadeSeconds = 0.25;
    private const double FewItems = 24;

    // A pause says nothing of the work: sums that fade to nothing would forget it.
    private const double LongestGapSeconds = 0.25;

    // Clients are the most that were there at once: a second forgets those that have gone, and no moment without a queue does.
    private const double ClientsFadeSeconds = 1;

    private GenerationStatistics _last;
    private long _lastCompleted;
    private long _lastWaits;
    private double _lastAt = double.NaN;
    private double _timed;
    private double _serviceSeconds;
    private double _items;
    private double _waits;
    private double _cpuShare = double.NaN;
    private double _blockedShare = double.NaN;
    private double _clients;
    private double _seconds;
    private double _clientSeconds;

    /// <summary>Adds what happened since the last call.</summary>
    /// <param name="now">Time, in seconds.</param>
    /// <param name="generation">Cumulative since the limit in force was adopted; may begin again from zero.</param>
    /// <param name="completed">All completions, cumulative.</param>
    /// <param name="waits">Waits of the class's items that the pool saw, cumulative.</param>
    /// <param name="cpuShare">CPU time of the busy workers over their wall time; NaN when not known.</param>
    /// <param name="blockedShare">Blocked time of the busy workers over their wall time; NaN when not known.</param>
    /// <param name="connections">Clients that have something in the class now; zero when not known.</param>
    public void Add(double now, in GenerationStatistics generation, long completed, long waits, double cpuShare, double blockedShare, int connections = 0)
    {
        if (double.IsNaN(_lastAt))
        {
            (_lastAt, _lastCompleted, _lastWaits) = (now, completed, waits);
        }

        double seconds = Math.Clamp(now - _lastAt, 0, LongestGapSeconds);
        double keep = Math.Exp(-seconds / (_timed > FewItems ? FadeSeconds : SlowFadeSeconds));
        _clients = Math.Max(connections, _clients * Math.Exp(-seconds / ClientsFadeSeconds));
        _seconds = (_seconds * keep) + seconds;
        _clientSeconds = (_clientSeconds * keep) + (connections * seconds);
        GenerationStatistics since = generation.Completed < _last.Completed ? generation : generation - _last;
        _timed = (_timed * keep) + Math.Max(0, since.Timed);
        _serviceSeconds = (_serviceSeconds * keep) + Math.Max(0, since.ServiceSeconds);
        _items = (_items * keep) + (completed - _lastCompleted);
        _waits = (_waits * keep) + (waits - _lastWaits);
        _cpuShare = Smooth(_cpuShare, cpuShare, keep);
        _blockedShare = Smooth(_blockedShare, blockedShare, keep);
        (_last, _lastAt, _lastCompleted, _lastWaits) = (generation, now, completed, waits);
    }

    /// <summary>The profile.</summary>
    /// <param name="cores">Cores the process may use.</param>
    /// <param name="threadCreationSeconds">Time from asking for a thread until it runs; zero when not known.</param>
    public WorkloadProfile Profile(double cores, double threadCreationSeconds)
    {
        double service = _timed > 0 ? _serviceSeconds / _timed : double.NaN;
        double waits = _items > 0 ? _waits / _items : double.NaN;
        double known = double.IsNaN(waits) ? 0 : waits;
        return new()
        {
            Connections = Math.Round(_clients),
            RequestGapSeconds = RequestGapRule.Seconds(_clients, _seconds, _clientSeconds, _items),
            Cores = cores,
            ThreadCreationSeconds = threadCreationSeconds,
            ActiveRounds = 1 + waits,
            ActiveSeconds = _cpuShare * service / (1 + known),

            // A read of a socket or a sleep blocks without passing the hook: such an item has one wait, not none.
            WaitingSeconds = _blockedShare * service / Math.Max(1, known),
        };
    }

    // Over the same time as the service times: their product must not swing with the rate.
    private static double Smooth(double before, double now, double keep) => double.IsNaN(now) || double.IsNaN(before) ? now : (keep * before) + ((1 - keep) * now);
}
