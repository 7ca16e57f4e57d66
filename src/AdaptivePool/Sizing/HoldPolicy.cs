namespace AdaptivePool.Sizing;

/// <summary>
/// Feeds a controller from the kept size on: only windows in which all threads were busy, only items that started at the size in force. A size that the
/// controller stands by, and does not merely try, is the kept one. What a trial may cost bounds it: upwards what waits can use, and little and rarely where a
/// server remembers and the cores are full or the size is verified; downwards a quarter where a server may be better off, three quarters of few threads and of
/// those that wait for nobody; and where looking is budgeted (<see cref="TrialCost"/>), what the budget leaves. While nothing may be tried both bounds are the
/// kept size: the controller watches it, and says so when the work has changed.
/// </summary>
internal sealed class HoldPolicy(ClassSizeSettings settings, KeptSize kept, KindRule kind, TrialCost cost, IPoolController? controller)
{
    // No probe of the hold controller falls below this share of a kept size up to SmallSize (one of two: what is best with one thread stayed at two for
    // good, with 40 % of the best rate). Nor of any size whose threads wait for nobody: a quarter of those that sleep brings a quarter, which cost 3
    // to 4 % of the first six seconds of 400 clients.
    private const double ProbeFloor = 0.75;

    // The same of a larger size behind which a server may stand. A quarter: from far above the best size smaller steps take minutes, and a server may be
    // better off at once.
    private const double ServerProbeFloor = 0.25;

    // Share of a window from which on its queue counts as empty.
    private const double EmptyShare = 0.2;

    // Share of the threads that are all, because one item ends before the next begins.
    private const double BusyShare = 0.9;

    // What a controller begins with is told soon, so that the samples that follow have the length that it wants: the level of a fresh size must be learned
    // before the work may change (ADR 109).
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(50);

    // Shortest sample of a size that is only watched: a dozen of them teach its level in 1.2 s. With 0.2 s work that changed within three seconds after its
    // size was found passed for what it had always been.
    private static readonly TimeSpan s_watchInterval = TimeSpan.FromMilliseconds(100);

    // The work must be another one where samples in a row stray from the rate of a kept size: three that bring a quarter of it or four times as much, or a
    // dozen that bring half or twice as much. How far they stray is added up in powers of two. Only for the first samples of a size: from the 36th on the
    // controller knows the level, and how much it scatters, and tells a bad moment from another work. Before that it cannot, and takes the other work for what
    // it has always been. An alarm of the controller with less than a quarter is that of another work, too, and not of a size that is off by a little.
    private const double OtherWork = 2;
    private const double StrayReference = 0.75;
    private const double MostStray = OtherWork - StrayReference;
    private const double StrayLimit = 2.25 * MostStray;
    private const int LevelSamples = 36;

    // How long a size above the kept one is asked for that the pool's maximum, another class or the memory does not grant. Asking costs nothing but time.
    private static readonly TimeSpan s_notGranted = TimeSpan.FromMilliseconds(300);

    // The pool's own search asks for no peaks; the founding document's, which has a class in flight here, does.
    private readonly SampleWindow _window = new(seesPeaks: IWholeController.LooksAtPeaks(controller));
    private Course? _course;

    /// <summary>The size to be in force: the one on trial, or the kept one.</summary>
    public int Limit => _course is { IsTrial: true, Asked: { } asked } ? asked : kept.Size;

    /// <summary>The controller steers.</summary>
    public bool IsOpen => _course is not null;

    /// <summary>Starts from the kept size, which the ramp has verified.</summary>
    public void Begin(TimeSpan now)
    {
        _course = new(now, Asked: null, IsTrial: false, Interval: null, Samples: 0, Strays: 0);
        _window.Close();
        controller?.Reinitialize(kept.Size, DecisionReason.RampVerified);
    }

    /// <summary>Others steer, until it begins anew.</summary>
    public void End() => _course = null;

    /// <summary>
    /// Takes one tick; a proposal when the controller has something to say. It ends where what was kept says nothing any more: the controller has seen the work
    /// change while it held the kept size. The proposal then says where to go on from, and whether the work completes less than it did (its gain is below 0).
    /// </summary>
    /// <param name="c">The class, without its stuck workers.</param>
    /// <param name="m">The machine.</param>
    /// <param name="heldDown">For how long less than the decided size has been in force.</param>
    public SizeProposal? Observe(in ClassObservation c, in MachineObservation m, TimeSpan heldDown)
    {
        _window.Observe(c);
        if (_course is not { } course || c.IsAfterPause)
        {
            _window.Close();
            return null;
        }

        // Waits for nothing that slows down, or long and evenly: a trial costs what it brings less, and nothing afterwards.
        bool isFree = kind.StepsFreely(c);

        bool isBusy = m.Use.MeanOf(m).IdleShare < ClassSizeSettings.LoanIdleShare;

        // A server is behind it, which remembers how many threads it has seen: cores that it leaves idle for a moment are no room. Or nobody knows what it
        // waits for, and the cores are used up.
        bool isCareful = !isFree && (kind.Kind == WorkKind.Serves || isBusy);
        if (controller is null || c.Limit > Limit || !c.Warm || _window.OpenedLimit is { } at && at != c.Limit)
        {
            _window.Close();
            return null;
        }

        if (_window.OpenedAt is not { } opened)
        {
            _window.Open(c);
            return null;
        }

        if (c.Limit < Limit)
        {
            if (Limit <= kept.Size)
            {
                // What completes now does so at another size.
                _window.Close();
                return null;
            }

            return GiveUp(c, course, m, heldDown);
        }

        // The ramp has just measured both sides of a fresh size, or was refused above it: a probe would cost and say nothing new.
        bool isFresh = c.Now - course.BegunAt < (isCareful ? settings.ServerRest : settings.FreshRest);
        TimeSpan elapsed = c.Now - opened;
        bool isEmpty = _window.EmptyShare(c) > EmptyShare;
        bool isHeld = (isFresh || isEmpty) && Limit == kept.Size;
        TimeSpan shortest = course.Interval is null ? s_firstInterval : isHeld ? s_watchInterval : TimeSpan.Zero;
        if (elapsed < shortest || elapsed < course.Interval)
        {
            return null;
        }

        PoolSample sample = _window.Read(c, m, 1, 1);

        // More threads that leave nothing waiting are answered for, too: what they bring is at least what that size can do. Nobody would ask again while the
        // load stays as it is, and they would stay in force unmeasured.
        bool saysNothing = isEmpty && (Limit < kept.Size || (Limit == kept.Size && _window.MeanActive(c) < BusyShare * c.Limit));
        if (saysNothing || sample.Completions == 0)
        {
            _window.Close();
            return null;
        }

        double rate = sample.Completions / sample.Elapsed.TotalSeconds;
        double doublings = Math.Log2(rate / kept.Rate);

        // Without a queue only a fall says something: all workers are busy and bring less than they did.
        bool isChange = doublings < 0 || !isEmpty;
        double strays = isChange && course.Samples < LevelSamples && Limit == kept.Size ? Strays(course.Strays, doublings) : 0;
        isHeld |= strays != 0;
        bool isRare = isCareful && (kept.IsVerified || isBusy);
        (int min, int max) = isHeld ? (kept.Size, kept.Size) : Bounds(c, course, isFree, isRare);
        SizeDecision decision = Ask(sample with { MinTarget = min, MaxTarget = max });

        // Where the controller may try other sizes, it begins anew by itself, in steps that suit a size nearby, and not in steps that suit another work.
        bool isAlarm = isChange && decision.Reason == DecisionReason.WorkloadChange;
        bool isNear = Limit != kept.Size || isEmpty || doublings >= -OtherWork;
        if ((isAlarm && (isHeld || !isNear)) || Math.Abs(strays) >= StrayLimit)
        {
            End();
            return new(kept.Size, DecisionReason.WorkloadChange, Gain: Math.Log(rate / kept.Rate));
        }

        return Follow(course, decision, rate, strays);
    }

    private static double Strays(double before, double doublings)
    {
        double stray = Math.Min(Math.Abs(doublings) - StrayReference, MostStray);
        return stray > 0 ? (before * doublings > 0 ? before : 0) + Math.CopySign(stray, doublings) : 0;
    }

    // What nobody grants is nothing to wait for. A size above is given up for the most there is: the controller goes on inside that.
    private SizeProposal? GiveUp(in ClassObservation c, Course course, in MachineObservation m, TimeSpan heldDown)
    {
        PoolSample sample = _window.Read(c, m, Math.Min(kept.Size, c.Limit), Math.Max(kept.Size, c.Limit));
        if (heldDown < s_notGranted || sample.Completions == 0 || sample.Elapsed == TimeSpan.Zero)
        {
            // No time passes while a collection takes a whole tick: that is no rate.
            return null;
        }

        return Follow(course, Ask(sample with { Target = Limit }), sample.Completions / sample.Elapsed.TotalSeconds, strays: 0);
    }

    private SizeDecision Ask(in PoolSample sample)
    {
        SizeDecision decision = controller!.Update(sample);
        _window.Close();
        return decision with { Target = Math.Clamp(decision.Target, sample.MinTarget, sample.MaxTarget) };
    }

    private SizeProposal? Follow(Course course, in SizeDecision decision, double rate, double strays)
    {
        (int before, int size) = (Limit, decision.Target);
        if (before == kept.Size && strays == 0)
        {
            kept.Remeasure(rate);
        }

        bool isTrial = decision.IsTrial && size != kept.Size;
        if (!isTrial && size != kept.Size)
        {
            kept.Prove(size, size == before ? rate : double.NaN);
        }

        int? asked = isTrial ? size : decision.IsAsking ? course.Asked : null;
        int samples = Math.Min(course.Samples + 1, LevelSamples);
        bool isSame = (asked, isTrial, decision.Interval, samples, strays)
            == (course.Asked, course.IsTrial, course.Interval, course.Samples, course.Strays);
        _course = isSame ? course : new(course.BegunAt, asked, isTrial, decision.Interval, samples, strays);

        bool isQuiet = size == before && decision.Reason != DecisionReason.InvalidSample;
        return isQuiet ? null : new(size, decision.Reason, rate, decision.Trace.Gain, decision.Trace.Noise);
    }

    private (int Min, int Max) Bounds(in ClassObservation c, Course course, bool isFree, bool isRare)
    {
        int bound = kind.Burns ? Math.Max(c.HogLimit, kept.Size) : settings.MaxLimit;
        int above = !isRare ? UsedSizeRule.DemandCap(c)
            : ServerProbeRule.MayProbeUp(c.Now - course.BegunAt) ? UsedSizeRule.Cap(kept.Size)
            : kept.Size;
        above = (int)Math.Min(above, kept.Size * cost.HighestRatio(c.Now));

        // A trial is measured to its end and answered for, also where the class reads otherwise at that size, or after it: else it is given up, forgotten and
        // made again, or was made for nothing.
        int asked = course.Asked ?? kept.Size;
        int max = Math.Max(1, Math.Min(Math.Min(bound, settings.MaxLimit), Math.Max(Math.Max(kept.Size, asked), above)));
        double lowest = isFree || kept.Size <= c.SmallSize ? Math.Min(ProbeFloor, (kept.Size - 1.0) / kept.Size) : ServerProbeFloor;
        double share = cost.MayLookBelow(c.Now, lowest) ? lowest : 1;
        int below = Math.Min(asked, (int)Math.Round(share * kept.Size, MidpointRounding.AwayFromZero));
        int min = Math.Min(max, Math.Max(Math.Max(1, c.Least), below));
        return (min, max);
    }

    // Since the kept size was taken over: the size that the controller has tried and not yet answered for, whether that is in force, how long it wants the
    // next sample to be, how many there were, and how far the last ones have strayed from the kept rate.
    private sealed record Course(TimeSpan BegunAt, int? Asked, bool IsTrial, TimeSpan? Interval, int Samples, double Strays);
}
