using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Feeds a controller from the kept size on: only windows in which something waited, only items that started at the size in force. A size that the
/// controller stands by, and does not merely try, is the kept one. What a trial may cost bounds it: upwards what waits can use, and little and rarely where a
/// server on full cores remembers; downwards a quarter where a server may be better off, three quarters of few threads and of those that wait for nobody; and
/// where a server may be behind the class, what the budget of trials leaves.
/// </summary>
internal sealed class HoldPolicy(ClassSizeSettings settings, KeptSize kept, KindRule kind, TrialCost cost, IPoolController? controller)
{
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(250);
    private readonly ChangeAlarm _alarm = new(settings);
    private readonly ServerProbeRule _above = new();
    private readonly MachineMean _machine = new(settings.MachineMemory);
    private readonly SampleWindow _window = new();
    private TimeSpan _interval = s_firstInterval;
    private TimeSpan _lastAt;
    private long _lastCompleted;
    private int _lastQueued;
    private double _emptySeconds;
    private int _peakActive;
    private TimeSpan _begunAt;

    // Waits for nobody who minds, or long and evenly: a trial costs what it brings less, and nothing afterwards.
    private bool _free;

    // A server is behind it, which remembers how many threads it has seen: cores that it leaves idle for a moment are no room. Or nobody knows what it waits
    // for, and the cores are used up.
    private bool _careful;

    /// <summary>The size to be in force.</summary>
    public int Limit { get; private set; }

    /// <summary>The last alarm came from a throughput that fell.</summary>
    public bool Dropped => _alarm.Dropped;

    /// <summary>Starts from the kept size, which the ramp has verified.</summary>
    public void Begin(TimeSpan now)
    {
        Limit = kept.Size;
        _lastAt = now;
        _lastCompleted = -1;
        _interval = s_firstInterval;
        _alarm.Reset();
        _begunAt = now;
        _above.Begin(now);
        Close();
        controller?.Reinitialize(kept.Size, DecisionReason.RampVerified);
    }

    /// <summary>Takes one tick; true when the workload has changed. A proposal is made only when the controller has spoken.</summary>
    public bool Observe(in ClassObservation c, in MachineObservation m, int bound, out SizeProposal? proposal)
    {
        proposal = null;
        double seconds = (c.Now - _lastAt).TotalSeconds;
        long items = c.Completed - _lastCompleted;
        bool queue = c.Queued > 0 && _lastQueued > 0;
        // The first tick only notes where the count stands: what completed before belongs to the ramp.
        bool usable = _lastCompleted >= 0 && c.Limit == Limit && c.Warm && (queue || c.Active >= 0.9 * c.Limit);
        _lastAt = c.Now;
        _lastCompleted = c.Completed;
        _lastQueued = c.Queued;
        _window.Observe(c);
        if (seconds > settings.Pause.TotalSeconds)
        {
            _alarm.Interrupt();
            Close();
            return false;
        }

        if (!usable || Limit != kept.Size)
        {
            _alarm.Interrupt();
        }
        else if (_alarm.Add(seconds, items, c) && (queue || _alarm.Dropped))
        {
            // Without a queue only a fall says something: all workers are busy and bring less than they did.
            return true;
        }

        _machine.Observe(c.Now, m);
        _free = kind.StepsFreely(c);
        _careful = !_free && (kind.Kind == WorkKind.Serves || _machine.Of(m).IdleShare < settings.LoanIdleShare);

        // The ramp has just measured both sides of a fresh size, or was refused above it: a probe would cost and say nothing new.
        bool rests = c.Now - _begunAt < (_careful ? settings.ServerRest : settings.FreshRest);
        if (controller is not null && c.Limit == Limit && c.Warm && !rests)
        {
            proposal = Sample(c, m, bound, seconds);
        }
        else
        {
            Close();
        }

        return false;
    }

    private SizeProposal? Sample(in ClassObservation c, in MachineObservation m, int bound, double seconds)
    {
        if (_window.OpenedAt is not { } opened)
        {
            _window.Open(c);
            return null;
        }

        _emptySeconds += c.Queued == 0 ? seconds : 0;
        _peakActive = Math.Max(_peakActive, Math.Min(c.Active, c.Limit));
        TimeSpan elapsed = c.Now - opened;
        if (elapsed < _interval || (_careful && elapsed < settings.ServerSample))
        {
            return null;
        }

        PoolSample sample = _window.Read(c, m, 1, 1, settings.Cores);
        if (_emptySeconds > 0.2 * elapsed.TotalSeconds || sample.Completions == 0)
        {
            Close();
            return null;
        }

        (int min, int max) = Bounds(c, bound);
        SizeDecision decision = controller!.Update(sample with { MinTarget = min, MaxTarget = max });
        double rate = sample.Completions / elapsed.TotalSeconds;
        _interval = decision.NextInterval > TimeSpan.Zero ? decision.NextInterval : s_firstInterval;
        Close();
        int before = Limit;
        Limit = Math.Clamp(decision.Target, min, max);
        if (before == kept.Size)
        {
            kept.Remeasure(rate);
        }

        if (!decision.IsTrial && Limit != kept.Size)
        {
            kept.Prove(Limit, Limit == before ? rate : double.NaN);
            _alarm.Reset();
        }

        bool isQuiet = Limit == before && decision.Reason != DecisionReason.InvalidSample;
        return new(Limit, isQuiet ? DecisionReason.Hold : decision.Reason, rate, decision.Trace.Gain, decision.Trace.Noise);
    }

    private (int Min, int Max) Bounds(in ClassObservation c, int bound)
    {
        bool isBudgeted = kind.MayHaveServer;
        int above = !_careful ? UsedSizeRule.DemandCap(c) : _above.MayProbeUp(c.Now) ? UsedSizeRule.Cap(Math.Min(kept.Size, _peakActive), settings) : kept.Size;
        above = isBudgeted ? (int)Math.Min(above, kept.Size * cost.HighestRatio(c.Now)) : above;
        int max = Math.Max(1, Math.Min(Math.Min(bound, settings.MaxLimit), Math.Max(kept.Size, above)));
        double share = _free || kept.Size <= settings.SmallSize ? settings.ProbeFloor : settings.ServerProbeFloor;
        share = isBudgeted ? cost.LowestShare(c.Now, share) : share;
        int min = Math.Min(max, Math.Max(settings.MinLimit, (int)Math.Round(share * kept.Size, MidpointRounding.AwayFromZero)));
        return (min, max);
    }

    private void Close()
    {
        _window.Close();
        _emptySeconds = 0;
        _peakActive = 0;
    }
}
