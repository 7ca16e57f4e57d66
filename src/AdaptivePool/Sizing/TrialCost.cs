namespace AdaptivePool.Sizing;

/// <summary>
/// What looking at other sizes has cost since the kept one was kept, or verified, and what it may still cost: the items that did not complete, in seconds of
/// the kept rate. A bound on loss is a budget of trials: a small one at first, and then a share of the time. What a trial will cost is known before it begins:
/// a few service times at a size that may bring as much less as it is away.
/// </summary>
internal sealed class TrialCost(KeptSize kept, KindRule kind)
{
    // Share of the time that looking at other sizes may cost once a size is verified. A quarter of the 0.02 that may
    // be lost, because what a trial costs is known within a factor of two only, and noise moves a class besides. With 0.008 three times as many runs of `loss`
    // break the bound.
    private const double LossShare = 0.005;

    // The same of a size that a server has been seen with and that is not verified yet: it remembers what it was shown.
    private const double UnverifiedLossShare = 0.015;

    // The time whose share may be spent at once, right after a size was verified: a single trial is a large share of a short time. A minute.
    private static readonly TimeSpan s_lossGrace = TimeSpan.FromSeconds(60);

    // A trial is left, warmed up and measured, and returned from: each takes about one service time.
    private const double ServiceTimes = 2.5;

    // A look below goes there and back, and each takes a round of the threads; and it is made of two samples. Where a class completes little these are most of
    // it: with service times alone two looks at 7 of 10 threads, with 27 items a second, took 6 s and broke the bound (ADR 111).
    private const double Rounds = 2;
    private const double Samples = 2;

    // The pool's own search. Samples of a user's length change the estimate only: what was spent is counted.
    private static readonly HillClimbingOptions s_search = new();

    private Budget _budget = new(0, IsVerified: false, TimeSpan.Zero);
    private double _spent;

    /// <summary>
    /// More threads are looked at within the budget: the size is verified, or a server was seen behind the class, which remembers each. Fewer are no burden to
    /// it, so a look below is bounded by a verified size only.
    /// </summary>
    public bool Counts => kept.IsVerified || (kept.IsProven && kind.Kind == WorkKind.Serves);

    /// <summary>Takes one tick.</summary>
    public void Observe(in ClassObservation c)
    {
        if (kept.Size != _budget.Size || kept.IsVerified != _budget.IsVerified || double.IsNaN(kept.Rate))
        {
            // A size that is to be measured again owes nothing for what looks beside the work before have cost.
            (_budget, _spent) = (new(kept.Size, kept.IsVerified, c.Now), 0);
        }
        else if (!c.IsAfterPause && kept.Rate > 0 && (c.Queued > 0 || c.Active > kept.Size) && (c.Limit != kept.Size || !c.Warm))
        {
            _spent = Math.Max(0, _spent + c.Elapsed.TotalSeconds - (c.Ended / kept.Rate));
        }
    }

    /// <summary>How many times the kept size a trial above may be now; infinite where nothing is known of what it costs, or it may cost anything.</summary>
    /// <param name="now">Time of the tick.</param>
    public double HighestRatio(TimeSpan now)
    {
        double trials = Left(now) / (ServiceTimes * kept.Size / kept.Rate);
        return !Counts || double.IsNaN(trials) ? double.PositiveInfinity : 1 + Math.Max(0, trials);
    }

    /// <summary>
    /// Whether a share of the kept size may be tried now. It loses what is missing, for as long as the fewer items take that are waited for, and as the
    /// samples last.
    /// </summary>
    /// <param name="now">Time of the tick.</param>
    /// <param name="share">The share, 0 to 1.</param>
    public bool MayLookBelow(TimeSpan now, double share)
    {
        double wanted = SampleLengthRule.Completions(kept.Size, s_search);
        double shortest = s_search.MinSampleInterval.TotalSeconds;
        double sample = SampleLengthRule.Interval(wanted, kept.Rate, kept.Size, TimeSpan.Zero, shortest, s_search).TotalSeconds;
        double look = (Rounds * share * kept.Size / kept.Rate) + (Samples * sample);

        // A rate that was not measured is NaN, and bounds nothing: the comparison is false.
        return !kept.IsVerified || !((1 - share) * look > Left(now));
    }

    // In seconds of the kept rate.
    private double Left(TimeSpan now)
    {
        double age = Math.Max(s_lossGrace.TotalSeconds, (now - _budget.Since).TotalSeconds);
        return ((kept.IsVerified ? LossShare : UnverifiedLossShare) * age) - _spent;
    }

    // Of one kept size, from the moment on at which it was kept or verified.
    private sealed record Budget(int Size, bool IsVerified, TimeSpan Since);
}
