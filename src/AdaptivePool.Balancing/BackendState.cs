namespace AdaptivePool.Balancing;

/// <summary>What a balancer knows about one backend: the row of the founding document's hash table, and what a better balancer needs in addition.</summary>
/// <remarks>
/// Not thread-safe: picking, counting and processing reports must all happen under one lock. Times are of a monotonic clock, from any origin.
/// </remarks>
/// <param name="name">The name of the backend, for people.</param>
/// <param name="since">The time when the backend was added.</param>
public sealed class BackendState(string name, TimeSpan since)
{
    /// <summary>Weight of a new service time. The mean covers about the last twenty.</summary>
    private const double NewShare = 0.05;

    /// <summary>Number of responses to which a mean of the last twenty is equivalent: twice as many, less one.</summary>
    private const int MostAnswers = 39;

    /// <summary>
    /// With this many own responses a backend's time and the usual time count half each. The first response of a slow machine may be a very short one. By
    /// that response alone the backend would get a hundred times the requests of the others until it has responded to more, and would keep them in its queue.
    /// Two, four and eight give the same results on virtual time.
    /// </summary>
    private const double UsualAnswers = 4;

    /// <summary>The mean time for which a failed request counts as in flight, as a multiple of the time of a good response.</summary>
    private const double FailedTimes = 4;

    /// <summary>Shortest and longest such time, in seconds; the longest applies where no good response is known.</summary>
    private const double ShortestFailed = 0.02;
    private const double LongestFailed = 1;

    /// <summary>A smaller rest of a failed request counts as zero: the smallest rest would always be more work than that of other backends that are
    /// idle.</summary>
    private const double LeastFailed = 0.1;

    /// <summary>
    /// A run that has sent no report for this long is over, because each response brings a report. A report with a lower number is then not a late report of
    /// an earlier run: the clock that numbers the runs was set back meanwhile. The value is the default lifetime of a point.
    /// </summary>
    private static readonly TimeSpan s_runIsOver = TimeSpan.FromSeconds(10);

    private LoadReport? _report;
    private int _ownAtReport;
    private TimeSpan? _answeredAt;
    private int _answers;
    private double _failed;
    private TimeSpan _failedAt;
    private (long Period, long Requests) _counted;

    /// <summary>The name of the backend.</summary>
    public string Name { get; } = name;

    /// <summary>The time when the backend was added or last came back. A slow start begins at this time.</summary>
    public TimeSpan Since { get; private set; } = since;

    /// <summary>The share of the work that the backend should get, compared with other backends of equal speed. Default 1; above 0 and finite.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The weight is not above 0, or not finite.</exception>
    public double Weight
    {
        get;
        init
        {
            OptionCheck.Require(value > 0 && double.IsFinite(value), nameof(Weight), value, "above 0 and finite");
            field = value;
        }
    } = 1;

    /// <summary>The last overload point (OP); <see langword="null"/> for none.</summary>
    public OverloadPoint? Point => _report?.Point;

    /// <summary>The time of the last accepted report; <see langword="null"/> before the first.</summary>
    public TimeSpan? ReportedAt { get; private set; }

    /// <summary>The number of requests that this balancer has sent and that have not ended.</summary>
    public int InFlight { get; private set; }

    /// <summary>The mean time in which the backend has responded to this balancer, in seconds; 0 before the first response.</summary>
    public double AnswerSeconds { get; private set; }

    /// <summary>The number of requests that were sent to the backend, or for which it was chosen but could not be connected to.</summary>
    public long Admitted { get; private set; }

    /// <summary>The number of requests for which the backend was the first choice, and which went elsewhere because it was at its limit.</summary>
    public long Diverted { get; internal set; }

    /// <summary>The number of reports that were ignored because they were late.</summary>
    public long Stale { get; private set; }

    /// <summary>Whether the backend can be reached.</summary>
    internal BackendReach Reach { get; } = new();

    /// <summary>Whether the backend can be reached, so that it may get a request.</summary>
    /// <param name="now">The present time.</param>
    internal bool IsUp(TimeSpan now) => Reach.IsUp(now, AnswerSeconds);

    /// <summary>Number of requests counted in the last period that had one: the founding document's counter.</summary>
    internal long Counter => _counted.Requests;

    /// <summary>Returns the number of requests counted in a period.</summary>
    /// <param name="period">The number of the period.</param>
    internal long CountedIn(long period) => _counted.Period == period ? _counted.Requests : 0;

    /// <summary>Counts a request.</summary>
    /// <param name="period">The number of its period.</param>
    internal void CountIn(long period) => _counted = (period, CountedIn(period) + 1);

    /// <summary>When the next request is due at the admitted rate (theoretical arrival time of the generic cell rate algorithm).</summary>
    internal TimeSpan Due { get; set; } = TimeSpan.MinValue;

    /// <summary>The placement of the first point since the backend last had none; 0 for no point.</summary>
    internal double FirstPlacement { get; private set; }

    /// <summary>Number of requests that other balancers had at the backend when it last reported its requests; 0 before.</summary>
    internal int OthersInFlight => _report?.InFlight is { } reported ? Math.Max(0, reported - _ownAtReport) : 0;

    /// <summary>
    /// Estimates the number of requests at the backend: those of this balancer, plus those that other balancers had when the backend last reported.
    /// </summary>
    /// <param name="now">The present time.</param>
    /// <param name="lifetime">How long a report is valid.</param>
    /// <param name="usual">
    /// The number of requests that others have at a backend about which nothing is known. The older a report is, the more this number counts instead. Without
    /// it, a backend that has not reported for a while would look empty and be the first choice of all balancers at once.
    /// </param>
    public double EstimatedInFlight(TimeSpan now, TimeSpan lifetime, double usual = 0)
    {
        double freshness = TellsOthers(now, lifetime) ? 1 - ((now - ReportedAt!.Value) / lifetime) : 0;
        return InFlight + Failed(now) + usual + (freshness * (OthersInFlight - usual));
    }

    /// <summary>Whether the backend has reported its number of requests, not too long ago.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="lifetime">How long a report is valid.</param>
    internal bool TellsOthers(TimeSpan now, TimeSpan lifetime) => _report?.InFlight is not null && IsFresh(ReportedAt, now, lifetime);

    /// <summary>
    /// Gets the mean time of a response without the wait, in seconds, from the backend or from this balancer; 0 if neither knows it, or it is too old.
    /// </summary>
    /// <param name="now">The present time.</param>
    /// <param name="lifetime">
    /// How long the time is valid. A backend that gets no requests because it was slow must be tried again to find out whether it is fast now.
    /// </param>
    /// <param name="usual">
    /// The usual time of backends, in seconds. The fewer responses are known, the more this time counts. 0 if it is not known: then only the responses count.
    /// </param>
    public double ServiceSeconds(TimeSpan now, TimeSpan lifetime, double usual = 0)
    {
        (double seconds, double answers) = (AnswerSeconds, _answers);
        TimeSpan? at = _answeredAt;
        if (_report is { ServiceTime: { } told } report && told > TimeSpan.Zero)
        {
            (seconds, answers, at) = (told.TotalSeconds, report.ServiceTimeAnswers ?? MostAnswers, ReportedAt);
        }

        return !IsFresh(at, now, lifetime) || seconds == 0 ? 0
            : usual > 0 ? ((answers * seconds) + (UsualAnswers * usual)) / (answers + UsualAnswers) : seconds;
    }

    /// <summary>Reports that a request has been sent.</summary>
    public void Begin()
    {
        InFlight++;
        Admitted++;
    }

    /// <summary>Reports that a request has ended.</summary>
    /// <param name="elapsed">The time from sending the request to its response; <see langword="null"/> if there was no response.</param>
    /// <param name="now">The present time.</param>
    /// <exception cref="InvalidOperationException">No request is in flight.</exception>
    public void End(TimeSpan? elapsed, TimeSpan now)
    {
        if (InFlight == 0)
        {
            throw new InvalidOperationException($"No request is in flight at '{Name}'.");
        }

        InFlight--;
        if (elapsed is { } time && time >= TimeSpan.Zero)
        {
            _answers = Math.Min(_answers + 1, MostAnswers);

            // The first responses have equal weight, because the usual time is not known before.
            double share = Math.Max(NewShare, 1.0 / _answers);
            double seconds = share > NewShare ? time.TotalSeconds : LongAnswer.Bound(time, TimeSpan.FromSeconds(AnswerSeconds)).TotalSeconds;
            AnswerSeconds += share * (seconds - AnswerSeconds);
            _answeredAt = now;
        }
    }

    /// <summary>Called when a request has ended that was not served.</summary>
    /// <param name="now">The present time.</param>
    internal void Fail(TimeSpan now) => (_failed, _failedAt) = (Failed(now) + 1, now);

    /// <summary>Processes a report.</summary>
    /// <param name="report">The report.</param>
    /// <param name="now">The present time.</param>
    /// <returns><see cref="ReportVerdict.Stale"/> if a later report is already known.</returns>
    public ReportVerdict Take(in LoadReport report, TimeSpan now)
    {
        if (_report is { } known && IsStale(report, known, now))
        {
            Stale++;
            return ReportVerdict.Stale;
        }

        if (_report is { } earlier && report.Run != earlier.Run)
        {
            // Another process responds now. It starts slowly, and its speed is not known yet.
            Restart(now);
        }

        bool isNewPoint = report.Point != Point;
        FirstPlacement = report.Point is not { } point ? 0 : FirstPlacement > 0 ? FirstPlacement : point.Placement;
        if ((isNewPoint && report.Point is null) || now < ReportedAt)
        {
            // After a clock was set back the next request would only be due when the clock has caught up.
            Due = TimeSpan.MinValue;
        }

        // The request of this response is not among those that other balancers have.
        _ownAtReport = InFlight;
        _report = report;
        ReportedAt = now;
        return ReportVerdict.Taken;
    }

    private bool IsStale(in LoadReport report, in LoadReport known, TimeSpan now) =>
        report.Run == known.Run ? report.Sequence < known.Sequence : report.Run < known.Run && now - ReportedAt < s_runIsOver;

    /// <summary>Whether the last report is too old to count, or from before a clock was set back. <see cref="Forget"/> discards it.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="lifetime">How long a report counts; <see langword="null"/> for ever.</param>
    public bool HasExpired(TimeSpan now, TimeSpan? lifetime) => lifetime is { } most && ReportedAt is { } at && (now - at >= most || now < at);

    /// <summary>Discards the reports of the backend, as if it had never reported. Used if the backend has not reported for too long, or is gone.</summary>
    public void Forget()
    {
        _report = null;
        ReportedAt = null;
        FirstPlacement = 0;
        Due = TimeSpan.MinValue;
        _counted = default;
    }

    /// <summary>Reports that the backend has come back. Its earlier reports are no longer valid, and a slow start begins.</summary>
    /// <param name="now">The present time.</param>
    public void Restart(TimeSpan now)
    {
        Forget();
        (AnswerSeconds, _answers, _failed) = (0, 0, 0);
        Since = now;
    }

    // Requests that failed lately, as a number of requests in flight.
    private double Failed(TimeSpan now)
    {
        double lasts = AnswerSeconds > 0 ? Math.Clamp(FailedTimes * AnswerSeconds, ShortestFailed, LongestFailed) : LongestFailed;

        // A clock that was set back does not tell how long ago the failure was.
        double left = now >= _failedAt ? _failed * Math.Exp(-(now - _failedAt).TotalSeconds / lasts) : 0;
        return left < LeastFailed ? 0 : left;
    }

    private static bool IsFresh(TimeSpan? at, TimeSpan now, TimeSpan lifetime) => at is { } time && now >= time && now - time < lifetime;
}
