namespace AdaptivePool.Sizing;

/// <summary>
/// Feeds a controller from the kept size on. It uses only windows in which all threads were busy, and only items that started at the size in force. A size
/// that the controller stands by, and does not merely try, becomes the kept size. The possible cost of a trial bounds it. Upwards the bound is what waiting
/// work can use; where a server remembers, and the cores are full or the size is verified, trials are small and rare. Downwards the bound is a quarter of the
/// kept size where a server may be better off. It is three quarters for few threads and for threads that wait for no server. Where looks are budgeted
/// (<see cref="TrialCost"/>), the bound is what the budget leaves. While no size may be tried both bounds are the kept size: the controller watches it, and
/// reports when the work has changed.
/// </summary>
internal sealed class HoldPolicy(ClassSizeSettings settings, KeptSize kept, KindRule kind, TrialCost cost, IPoolController? controller)
{
    // No probe of the hold controller falls below this share of a kept size up to SmallSize. The exception is one of two: a class that is best with one
    // thread stayed at two permanently, with 40 % of the best rate. The same floor holds for any size whose threads wait for no server: a quarter of the
    // threads that sleep brings a quarter of the rate, which cost 3 to 4 % of the first six seconds of 400 clients.
    private const double ProbeFloor = 0.75;

    // The same floor for a larger size behind which a server may stand. It is a quarter: from far above the best size smaller steps take minutes, and a
    // server may be better off at once.
    private const double ServerProbeFloor = 0.25;

    // Share of busy threads that counts as all threads, because one item ends before the next begins.
    private const double BusyShare = 0.9;

    // The first sample is short, so that the samples that follow soon have the length that the controller wants. It must learn the level of a fresh size
    // before the work changes (ADR 109).
    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(50);

    // Shortest sample of a size that is only watched: a dozen of them teach its level in 1.2 s. With 0.2 s, work that changed within three seconds after its
    // size was found was taken for the usual work.
    private static readonly TimeSpan s_watchInterval = TimeSpan.FromMilliseconds(100);

    // How long the controller asks for a size above the kept one that the pool's maximum, another class or the memory does not grant. Asking costs only time.
    private static readonly TimeSpan s_notGranted = TimeSpan.FromMilliseconds(300);

    // The pool's own search does not use peaks. The search of the founding document does, and it has a class in flight here.
    private readonly SampleWindow _window = new(seesPeaks: IWholeController.LooksAtPeaks(controller));
    private Course? _course;

    /// <summary>The size that is to be in force: the size on trial, or the kept size.</summary>
    public int Limit => _course is { IsTrial: true, Asked: { } asked } ? asked : kept.Size;

    /// <summary>The controller is in control.</summary>
    public bool IsOpen => _course is not null;

    /// <summary>Starts from the kept size, which the ramp has verified.</summary>
    public void Begin(TimeSpan now)
    {
        _course = new(now, Asked: null, IsTrial: false, Interval: null, First: default);
        _window.Close();
        controller?.Reinitialize(kept.Size, DecisionReason.RampVerified);
    }

    /// <summary>Ends the control of the controller until it begins again.</summary>
    public void End() => _course = null;

    /// <summary>
    /// Takes one tick. Returns a proposal when the controller has something to report. The policy ends where the kept size no longer says anything: the
    /// controller has seen the work change while it held the kept size. The proposal then says from which size to continue, and whether the work completes
    /// less than before (its gain is below 0).
    /// </summary>
    /// <param name="c">The class, without its stuck workers.</param>
    /// <param name="m">The machine.</param>
    /// <param name="heldDown">How long less than the decided size has been in force.</param>
    public SizeProposal? Observe(in ClassObservation c, in MachineObservation m, TimeSpan heldDown)
    {
        _window.Observe(c);
        if (_course is not { } course || c.IsAfterPause)
        {
            _window.Close();
            return null;
        }

        // The class waits for nothing that slows down, or it waits long and evenly. A trial costs the completions that it lacks, and nothing afterwards.
        bool isFree = kind.StepsFreely(c);

        bool isBusy = m.Use.MeanOf(m).IdleShare < ClassSizeSettings.LoanIdleShare;

        // A server stands behind the class and remembers how many threads it has seen: cores that it leaves idle for a moment are no room. Or it is not known
        // what the class waits for, and the cores are used up.
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
                // Completions now belong to another size.
                _window.Close();
                return null;
            }

            return GiveUp(c, course, m, heldDown);
        }

        // The ramp has just measured both sides of a fresh size, or was refused above it. A probe would cost time and say nothing new.
        bool isFresh = c.Now - course.BegunAt < (isCareful ? settings.ServerRest : settings.FreshRest);
        TimeSpan elapsed = c.Now - opened;
        bool isEmpty = _window.EmptyShare(c) > ClassSizeSettings.EmptyShare;
        bool isHeld = (isFresh || isEmpty) && Limit == kept.Size;
        TimeSpan shortest = course.Interval is null ? s_firstInterval : isHeld ? s_watchInterval : TimeSpan.Zero;
        if (elapsed < shortest || elapsed < course.Interval)
        {
            return null;
        }

        PoolSample sample = _window.Read(c, m, 1, 1);

        // A trial with more threads that leaves no work waiting is reported, too: its rate is at least what that size can do. Otherwise no further sample
        // would be taken while the load stays the same, and the size would stay in force unmeasured.
        bool saysNothing = isEmpty && (Limit < kept.Size || (Limit == kept.Size && _window.MeanActive(c) < BusyShare * c.Limit));
        if (saysNothing)
        {
            _window.Close();
            return null;
        }

        if (sample.Completions == 0)
        {
            // There is no rate yet. The window stays open: if only times count in which something has completed, items that end together seem to be many.
            return null;
        }

        double rate = sample.Completions / sample.Elapsed.TotalSeconds;

        // Without a queue only a fall says something: all workers are busy and complete less than before.
        bool isChange = rate < kept.Rate || !isEmpty;

        // Where as many clients as threads come back to a slow server, samples that are added up would only be late.
        double longService = isEmpty ? 0 : c.LongServiceSeconds;
        FirstSamples first = isChange && Limit == kept.Size
            ? course.First.With(sample, kept.Rate, longService, c.ShortPass)
            : course.First.Skip();
        isHeld |= first.Strays != 0;
        bool isRare = isCareful && (kept.IsVerified || isBusy);
        (int min, int max) = isHeld ? (kept.Size, kept.Size) : Bounds(c, course, isFree, isRare);
        SizeDecision decision = Ask(sample with { MinTarget = min, MaxTarget = max });

        // Where the controller may try other sizes it begins again by itself. Its steps suit a size nearby, but not other work. An alarm at less than a quarter
        // of the rate means other work, and not a size that is slightly wrong.
        bool isAlarm = isChange && decision.Reason == DecisionReason.WorkloadChange;
        bool isNear = Limit != kept.Size || isEmpty || Math.Log2(rate / kept.Rate) >= -FirstSamples.OtherWork;
        if ((isAlarm && (isHeld || !isNear)) || first.AreOtherWork)
        {
            End();
            return new(kept.Size, DecisionReason.WorkloadChange, Gain: Math.Log(rate / kept.Rate));
        }

        return Follow(course, decision, rate, first);
    }

    // A size that is not granted is not waited for. A size above is given up for the highest that can be had, and the controller continues inside that bound.
    private SizeProposal? GiveUp(in ClassObservation c, Course course, in MachineObservation m, TimeSpan heldDown)
    {
        PoolSample sample = _window.Read(c, m, Math.Min(kept.Size, c.Limit), Math.Max(kept.Size, c.Limit));
        if (heldDown < s_notGranted || sample.Completions == 0 || sample.Elapsed == TimeSpan.Zero)
        {
            // No time counts while a collection takes a whole tick, so there is no rate.
            return null;
        }

        return Follow(course, Ask(sample with { Target = Limit }), sample.Completions / sample.Elapsed.TotalSeconds, course.First.Skip());
    }

    private SizeDecision Ask(in PoolSample sample)
    {
        SizeDecision decision = controller!.Update(sample);
        _window.Close();
        return decision with { Target = Math.Clamp(decision.Target, sample.MinTarget, sample.MaxTarget) };
    }

    private SizeProposal? Follow(Course course, in SizeDecision decision, double rate, in FirstSamples first)
    {
        (int before, int size) = (Limit, decision.Target);
        if (before == kept.Size && first is { Strays: 0, Seconds: 0 })
        {
            kept.Remeasure(rate);
        }

        bool isTrial = decision.IsTrial && size != kept.Size;
        if (!isTrial && size != kept.Size)
        {
            kept.Prove(size, size == before ? rate : double.NaN);
        }

        int? asked = isTrial ? size : decision.IsAsking ? course.Asked : null;
        bool isSame = (asked, isTrial, decision.Interval, first) == (course.Asked, course.IsTrial, course.Interval, course.First);
        _course = isSame ? course : new(course.BegunAt, asked, isTrial, decision.Interval, first);

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

        // A trial is measured to its end and reported, also where the class reads otherwise at that size or after it. Else the trial would be given up,
        // forgotten and made again, or would have been made in vain.
        int asked = course.Asked ?? kept.Size;
        int max = Math.Max(1, Math.Min(Math.Min(bound, settings.MaxLimit), Math.Max(Math.Max(kept.Size, asked), above)));
        double lowest = isFree || kept.Size <= c.SmallSize ? Math.Min(ProbeFloor, (kept.Size - 1.0) / kept.Size) : ServerProbeFloor;
        double share = cost.MayLookBelow(c.Now, lowest) ? lowest : 1;
        int below = Math.Min(asked, (int)Math.Round(share * kept.Size, MidpointRounding.AwayFromZero));
        int min = Math.Min(max, Math.Max(Math.Max(1, c.Least), below));
        return (min, max);
    }

    // The state since the kept size was taken over: the size that the controller has tried and not yet reported on, whether that size is in force, the length
    // that it wants for the next sample, and what the first samples have told.
    private sealed record Course(TimeSpan BegunAt, int? Asked, bool IsTrial, TimeSpan? Interval, FirstSamples First);
}
