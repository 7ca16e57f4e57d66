namespace AdaptivePool.Sizing;

/// <summary>
/// The cost of looks at other sizes since the present size was kept, or verified, and what such looks may still cost. The cost is the items that did not
/// complete, in seconds of the kept rate. The bound on loss is a budget of trials: a small one at first, and then a share of the time. The cost of a trial is
/// known before it begins: a few service times at a size whose rate may be lower in proportion to its distance.
/// </summary>
internal sealed class TrialCost(KeptSize kept, KindRule kind)
{
    // Share of the time that looks at other sizes may cost once a size is verified. It is a quarter of the 0.02 that may be lost, because the cost of a trial
    // is known only within a factor of two, and noise moves a class besides. With 0.008 three times as many runs of `loss` break the bound.
    private const double LossShare = 0.005;

    // The same for a size with which a server has been seen and that is not verified yet: the server remembers what it was shown.
    private const double UnverifiedLossShare = 0.015;

    // The time whose share may be spent at once, right after a size was verified: a minute. A single trial is a large share of a short time.
    private static readonly TimeSpan s_lossGrace = TimeSpan.FromSeconds(60);

    // The class changes to a trial size, warms up and is measured, and returns: each takes about one service time.
    private const double ServiceTimes = 2.5;

    // A look below goes there and back, and each way takes a round of the threads. It consists of two samples. Where a class completes little the samples are
    // most of the cost: with service times alone two looks at 7 of 10 threads, with 27 items a second, took 6 s and broke the bound (ADR 111).
    private const double Rounds = 2;
    private const double Samples = 2;

    // The options of the pool's own search. Samples of a user's length change the estimate only: the real cost is counted.
    private static readonly HillClimbingOptions s_search = new();

    private Budget _budget = new(0, IsVerified: false, TimeSpan.Zero);
    private double _spent;

    /// <summary>
    /// Whether looks at more threads are budgeted: the size is verified, or a server was seen behind the class, which remembers each. Fewer threads are no
    /// burden to a server, so only a verified size bounds a look below.
    /// </summary>
    public bool Counts => kept.IsVerified || (kept.IsProven && kind.Kind == WorkKind.Serves);

    /// <summary>Takes one tick.</summary>
    public void Observe(in ClassObservation c)
    {
        if (kept.Size != _budget.Size || kept.IsVerified != _budget.IsVerified || double.IsNaN(kept.Rate))
        {
            // A size that is to be measured again owes nothing for looks at the earlier work.
            (_budget, _spent) = (new(kept.Size, kept.IsVerified, c.Now), 0);
        }
        else if (!c.IsAfterPause && kept.Rate > 0 && (c.Queued > 0 || c.Active > kept.Size) && (c.Limit != kept.Size || !c.Warm))
        {
            _spent = Math.Max(0, _spent + c.Elapsed.TotalSeconds - (c.Ended / kept.Rate));
        }
    }

    /// <summary>The highest size of a trial above, as a multiple of the kept size; infinite where its cost is not known, or is not bounded.</summary>
    /// <param name="now">Time of the tick.</param>
    public double HighestRatio(TimeSpan now)
    {
        double trials = Left(now) / (ServiceTimes * kept.Size / kept.Rate);
        return !Counts || double.IsNaN(trials) ? double.PositiveInfinity : 1 + Math.Max(0, trials);
    }

    /// <summary>
    /// Whether a share of the kept size may be tried now. The trial loses the work of the missing threads, for as long as the items of the fewer threads take
    /// and the samples last.
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

    // The budget that is left, in seconds of the kept rate.
    private double Left(TimeSpan now)
    {
        double age = Math.Max(s_lossGrace.TotalSeconds, (now - _budget.Since).TotalSeconds);
        return ((kept.IsVerified ? LossShare : UnverifiedLossShare) * age) - _spent;
    }

    // The budget of one kept size. It begins when the size was kept or verified.
    private sealed record Budget(int Size, bool IsVerified, TimeSpan Since);
}
