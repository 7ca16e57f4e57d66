namespace AdaptivePool.Admission;

/// <summary>
/// Steers the limit of one of many gates before the same database, from what the gates show each other there. A gate cannot tell from its own throughput what
/// its own limit is worth: a full server gives more to a gate that asks for more, at the cost of the others. So the gates look for the limit of all gates
/// together, by their throughput together, and each gate takes its share of it. The eldest gate looks for it, with the search that a lone gate uses, and the
/// others follow. When the eldest is gone, the next one continues from where it stood. While a gate cannot see the others, its limit stays.
/// </summary>
/// <param name="id">See <see cref="FleetReport.CreateId"/>.</param>
/// <param name="controller">The controller that decides about the total.</param>
/// <param name="start">The limit of this gate at the start. Until something is measured, the total is this limit times the number of gates.</param>
/// <param name="lowest">Lowest limit of this gate.</param>
/// <param name="highest">Highest limit of this gate.</param>
internal sealed class FleetLimitPolicy(string id, IPoolController controller, int start, int lowest, int highest)
{
    /// <summary>The state in the traces of a gate whose share changes without a decision of its own search.</summary>
    public const string StateName = "Fleet";

    /// <summary>Looks per second of all gates together, so that the cost for the database does not grow with the number of gates.</summary>
    private const double LooksPerSecond = 100;

    /// <summary>
    /// What a gate wants beyond the transactions at the look: a quarter and one, so that transactions that come before the next look find room.
    /// </summary>
    private const double Headroom = 1.25;

    /// <summary>What is left of an earlier demand at each look.</summary>
    private const double DemandKept = 0.8;

    /// <summary>Part of the total that gates held back by their limits must have together, so that the total counts as what holds them back.</summary>
    private const double BindingPart = 0.5;

    /// <summary>Reports of the eldest gate in which the same gate gets what cannot be divided.</summary>
    private const int ReportsOfATurn = 16;

    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_idleLook = TimeSpan.FromSeconds(1);

    /// <summary>A line that has not changed for this long belongs to no gate.</summary>
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(3);

    /// <summary>Longest wait until all gates act by a new total.</summary>
    private static readonly TimeSpan s_longestSettling = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long it takes to open a session where many are opened at once: two cores open about fifteen per second beside their work. Instances open sessions
    /// when a total gives each of them more than ever before, and when a new instance comes. What is measured in that time says nothing about the total: each
    /// first step up to a new size would look bad.
    /// </summary>
    private static readonly TimeSpan s_opening = TimeSpan.FromMilliseconds(75);

    /// <summary>Longest wait for the sessions to open.</summary>
    private static readonly TimeSpan s_longestOpening = TimeSpan.FromSeconds(1.5);

    private readonly TransactionLimitPolicy _search = new(controller, start, lowest, highest);
    private readonly int _start = start;
    private Dictionary<string, Other> _others = [];
    private HashSet<string> _shown = [];
    private LimitObservation _reported;
    private FleetReport _own = new() { Id = id, Total = start, Verified = start };

    // What all gates did, summed over the time between the looks of this gate.
    private double _ended;
    private double _failed;
    private double _insideSeconds;
    private double _waited;
    private TimeSpan _lookedAt;
    private TimeSpan _changedAt;
    private TimeSpan _quietUntil;
    private TimeSpan _returningUntil;
    private double _wanted;
    private double _widestShare;
    private int _instances;

    // The total that this gate announced last, and its number; null while it follows another gate. If the total in force is another one, another gate has
    // searched since.
    private (int Epoch, int Total)? _announced;
    private bool _isSettled;
    private bool _hasLooked;

    /// <summary>
    /// The options of the search for a total. Samples last at least three looks of eight gates, so that one report more or less hardly counts. The search
    /// rests as soon as it expects less than three hundredths, because each trial of a higher total opens many sessions. Everything else is as for a gate
    /// alone.
    /// </summary>
    public static HillClimbingOptions DefaultOptions { get; } =
        TransactionLimitPolicy.DefaultOptions with { MinSampleInterval = TimeSpan.FromMilliseconds(250), MinImprovement = 0.03 };

    public int Limit { get; private set; } = start;

    /// <summary>The share of the total that the search has confirmed.</summary>
    public int Verified { get; private set; } = start;

    public double PerSecond { get; private set; } = double.NaN;

    public GateFleetSnapshot Fleet { get; private set; } = new() { Instances = 1, Total = 0, IsSearching = false, IsBlind = false };

    /// <summary>What to show the other gates.</summary>
    public string Report(in LimitObservation now)
    {
        double seconds = (now.Now - _reported.Now).TotalSeconds;
        long timed = now.Timed - _reported.Timed;
        int present = now.Held + now.Queued;
        _wanted = Math.Max(present, DemandKept * _wanted);
        _own = _own with
        {
            Number = (_own.Number + 1) % FleetReport.Turns,
            Limit = now.Limit,
            Wanted = Math.Min(highest, (int)Math.Ceiling(Headroom * _wanted) + 1),
            PerSecond = seconds > 0 ? (now.Ended - _reported.Ended) / seconds : 0,
            FailedPerSecond = seconds > 0 ? (now.Failed - _reported.Failed) / seconds : 0,
            Binds = now.Binds(_reported),
            Inside = timed > 0 ? TimeSpan.FromSeconds((now.InsideSeconds - _reported.InsideSeconds) / timed) : TimeSpan.Zero,
        };
        _reported = now;
        return _own.ToString();
    }

    /// <summary>Takes a look at the gate, after <see cref="Report"/>.</summary>
    /// <param name="now">What was reported.</param>
    /// <param name="lines">What the other gates show.</param>
    public LimitDecision Observe(in LimitObservation now, IReadOnlyList<string> lines)
    {
        Limit = now.Limit;
        Note(lines, now.Now);
        FleetReport[] all = Present(now.Now);
        if (now.Limit == 0)
        {
            // The limit is switched off: the gate takes no share, and does not look for the total either.
            (_isSettled, _lookedAt, _hasLooked) = (false, now.Now, false);
            Tell(all, isSearching: false);
            return new LimitDecision(0, s_idleLook, DecisionReason.Hold);
        }

        var decision = new LimitDecision(now.Limit, s_look, DecisionReason.FleetShare);
        bool isEldest = all[0].Id == _own.Id;
        if (isEldest)
        {
            decision = Search(now, all) ?? decision;
        }
        else
        {
            Follow(all[0]);
            Know(all.Length);
            _announced = null;
        }

        Tell(all, isEldest);
        (_lookedAt, _hasLooked) = (now.Now, true);
        return Take(now, all, decision.Reason, decision.Trace);
    }

    /// <summary>The other gates cannot be seen, so the limit stays.</summary>
    /// <param name="now">What the gate sees.</param>
    /// <param name="why">Why they cannot be seen.</param>
    public LimitDecision Wait(in LimitObservation now, string why)
    {
        (_isSettled, Limit) = (false, now.Limit);
        Fleet = Fleet with { IsBlind = true, IsSearching = false, Failure = why };
        return new LimitDecision(now.Limit, s_look, DecisionReason.Hold);
    }

    /// <summary>
    /// Notes which gates are there. A line that two looks in a row do not show is gone, and a line that stands still is gone after a while. One look is not
    /// enough: a server that shuts down ends its sessions one after another, and the gate whose session lasts longest would take the limit of all gates.
    /// After a time in which this gate did not see the others, or stood still itself, perhaps with its whole machine, no line is removed for a while.
    /// Otherwise the first gate that sees again would take the limit of all gates while the others still keep their shares.
    /// </summary>
    private void Note(IReadOnlyList<string> lines, TimeSpan now)
    {
        if (Fleet.IsBlind || (_hasLooked && now - _lookedAt > s_silence))
        {
            (_returningUntil, _hasLooked, _isSettled) = (now + s_silence, false, false);
            _others = _others.ToDictionary(static o => o.Key, o => o.Value with { ChangedAt = now }, StringComparer.Ordinal);
        }

        _others = new(_others.Where(o => now < _returningUntil || _shown.Contains(o.Value.Line)), StringComparer.Ordinal);
        foreach (string line in lines)
        {
            // A line that stands still may be one that its gate left in a broken session, beside its new line.
            if (!_shown.Contains(line) && FleetReport.TryParse(line, out FleetReport report) && report.Id != _own.Id)
            {
                _others[report.Id] = new Other(report, line, now);
            }
        }

        _shown = new(lines, StringComparer.Ordinal);
    }

    /// <summary>The gates that take part, the eldest first.</summary>
    private FleetReport[] Present(TimeSpan now) =>
    [
        .. _others.Values.Where(o => now - o.ChangedAt < s_silence && o.Report.Limit > 0).Select(static o => o.Report)
            .Append(_own).OrderBy(static r => r.Id, StringComparer.Ordinal),
    ];

    /// <summary>Looks for the limit of all gates; <see langword="null"/> while nothing is measured.</summary>
    private LimitDecision? Search(in LimitObservation now, FleetReport[] all)
    {
        if (!_hasLooked && all.Length > 1 && (all[1].IsProven || !_own.IsProven) && !HasNotSeen(all[1]))
        {
            // Clocks differ: the youngest gate may look like the eldest, and knows nothing yet. A gate that was away for a while knows only what held then.
            Follow(all[1]);
        }

        // A gate that was away continues its search if no other gate has searched in the meantime. A new search would first try a quarter of the limit.
        bool isNew = _announced != (_own.Epoch, _own.Total);

        // The gate that searched before may have been trying another limit.
        int total = isNew ? _own.Verified : _own.Total;
        int least = all.Length * lowest;
        total = Math.Min(TransactionGateOptions.Most, Math.Max(total, _own.IsProven ? least : all.Length * Math.Max(lowest, _start)));
        if (_isSettled && all.All(static r => r.Binds && r.Limit >= r.Wanted))
        {
            // All gates have the highest limit that they may have. No gate can take anything of the rest of the total, and nothing would be measured any
            // more.
            total = Math.Min(total, Math.Max(least, all.Sum(static r => r.Limit)));
        }

        // The highest limits of the other gates are not known, and may differ. What all gates want is within them.
        _search.Bound(least, Math.Min(TransactionGateOptions.Most, Math.Max(total, all.Sum(static r => r.Wanted))));
        if (isNew || total != _own.Total)
        {
            _search.Continue(total, _own.IsProven);
            Announce(total, all.Length, now.Now);
        }
        else if (all.Length != _instances)
        {
            // A gate that has come opens sessions, too.
            Settle(Math.Max(0, all.Length - _instances), all.Length, now.Now);
        }

        if (!_isSettled)
        {
            int epoch = _own.Epoch;
            bool isInForce = all.All(r => r.Epoch == epoch) || now.Now - _changedAt > s_longestSettling;
            _isSettled = isInForce && now.Now >= _quietUntil && now.Now >= _returningUntil;
            if (_isSettled)
            {
                _search.Observe(Sum(now, all, seconds: 0) with { IsInterrupted = true });
            }

            return null;
        }

        LimitDecision decision = _search.Observe(Sum(now, all, (now.Now - _lookedAt).TotalSeconds));
        PerSecond = _search.PerSecond;
        _own = _own with { Verified = _search.Verified, IsProven = _own.IsProven || decision.Trace is not null };
        if (decision.Limit != _own.Total)
        {
            Announce(decision.Limit, all.Length, now.Now);
        }

        return decision;
    }

    /// <summary>What all gates did, as one gate would have counted it, with a time added.</summary>
    private LimitObservation Sum(in LimitObservation now, FleetReport[] all, double seconds)
    {
        bool binds = all.Where(static r => r.Binds).Sum(static r => r.Limit) >= BindingPart * _own.Total;
        double ended = seconds * all.Sum(static r => r.PerSecond);
        _ended += ended;
        _failed += seconds * all.Sum(static r => r.FailedPerSecond);
        _insideSeconds += seconds * all.Sum(static r => r.PerSecond * r.Inside.TotalSeconds);
        _waited += binds ? ended : 0;
        return new LimitObservation
        {
            Now = now.Now,
            Limit = _own.Total,
            Held = all.Sum(static r => Math.Min(r.Limit, r.Wanted)),
            Queued = binds ? Math.Max(1, all.Sum(static r => Math.Max(0, r.Wanted - r.Limit))) : 0,
            Ended = (long)_ended,
            Timed = (long)_ended,
            Failed = (long)_failed,
            InsideSeconds = _insideSeconds,
            Admitted = (long)_ended,
            AdmittedAfterWait = (long)_waited,
            IsInterrupted = now.IsInterrupted,
        };
    }

    /// <summary>Nothing is measured until all gates act by the total and have the sessions for it, nor while gates that may be gone still count.</summary>
    private void Settle(int newcomers, int instances, TimeSpan now)
    {
        double share = (double)_own.Total / instances;
        TimeSpan opening = s_opening * ((newcomers * share) + (instances * Math.Max(0, share - _widestShare)));
        TimeSpan until = now + (opening < s_longestOpening ? opening : s_longestOpening);
        (_isSettled, _changedAt, _quietUntil) = (false, now, until > _quietUntil ? until : _quietUntil);
        Know(instances);
    }

    private void Know(int instances) => (_instances, _widestShare) = (instances, Math.Max(_widestShare, (double)_own.Total / instances));

    private void Follow(in FleetReport other) =>
        _own = _own with { Total = other.Total, Verified = other.Verified, Epoch = other.Epoch, IsProven = other.IsProven };

    /// <summary>
    /// Whether the other gate shows the total before the one that this gate announced last. Then it is behind, and no gate has searched in the meantime.
    /// </summary>
    private bool HasNotSeen(in FleetReport other) =>
        _announced == (_own.Epoch, _own.Total) && (other.Epoch + 1) % FleetReport.Turns == _own.Epoch;

    private void Announce(int total, int instances, TimeSpan now)
    {
        _own = _own with { Total = total, Verified = _search.Verified, Epoch = (_own.Epoch + 1) % FleetReport.Turns };
        _announced = (_own.Epoch, _own.Total);
        Settle(newcomers: 0, instances, now);
    }

    private LimitDecision Take(in LimitObservation now, FleetReport[] all, DecisionReason reason, ControllerTrace? trace)
    {
        int self = Array.FindIndex(all, r => r.Id == _own.Id);
        int[] wanted = [.. all.Select(static r => r.Wanted)];
        int turn = all[0].Number / ReportsOfATurn;
        int share = Math.Clamp(FleetShareRule.Divide(_own.Total, wanted, lowest, turn)[self], lowest, highest);
        Verified = Math.Clamp(FleetShareRule.Divide(_own.Verified, wanted, lowest, turn)[self], lowest, highest);
        if (trace is null && share != now.Limit)
        {
            trace = new ControllerTrace { Reason = reason, State = StateName, ThroughputPerSecond = all.Sum(static r => r.PerSecond) };
        }

        bool isIdle = all.All(static r => r.PerSecond == 0) && now.Held + now.Queued == 0;
        double wait = Math.Clamp(all.Length / LooksPerSecond, s_look.TotalSeconds, s_idleLook.TotalSeconds);
        TimeSpan again = isIdle ? s_idleLook : TimeSpan.FromSeconds(wait);
        Limit = share;
        return new LimitDecision(share, again, reason, trace is null ? null : trace with { From = now.Limit, To = share });
    }

    private void Tell(FleetReport[] all, bool isSearching) =>
        Fleet = new GateFleetSnapshot { Instances = all.Length, Total = _own.Total, IsSearching = isSearching, IsBlind = false };

    private readonly record struct Other(FleetReport Report, string Line, TimeSpan ChangedAt);
}
