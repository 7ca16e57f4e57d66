namespace AdaptivePool.Sizing;

/// <summary>
/// Lends threads while work waits and nothing completes (rules 10d and 10e). Sleepers double each stall time and their size is verified as it stands; others
/// double when the age of the episode has doubled, under a cap, and are always paid back: they may be connecting to a server that remembers an overshoot.
/// </summary>
internal sealed class LoanPolicy(ClassSizeSettings settings)
{
    private long _completed = -1;
    private long _completedAtStart;
    private TimeSpan _lastAt;
    private TimeSpan _progressAt;
    private TimeSpan _stallAt;
    private TimeSpan _stepAt;
    private TimeSpan _ageAtStep;
    private bool _sleepers;

    /// <summary>An episode is open: the limit is lent, not verified.</summary>
    public bool Active { get; private set; }

    /// <summary>How long nothing must have completed for a loan to the class as it is now.</summary>
    public TimeSpan StallTime(in ClassObservation c)
    {
        if (settings.StallLimit is { } fixedLimit)
        {
            return fixedLimit;
        }

        bool tasks = WaitsForTasks(c);
        if (Active && tasks)
        {
            // What completes meanwhile has waited for as long as the others will: it is no measure of a stall.
            return settings.TaskWaitFloor;
        }

        TimeSpan served = TimeSpan.FromSeconds(Math.Min(3600, settings.StallServiceFactor * c.LongServiceSeconds));

        // That the workers sleep is known when the loan is open: the next step only waits for those that were added to fall asleep too.
        TimeSpan floor = tasks || (Active && Sleeps(c)) ? settings.TaskWaitFloor : settings.StallFloor;
        return served > floor ? served : floor;
    }

    /// <summary>Takes one tick.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine.</param>
    /// <param name="wanted">The limit asked for so far; a lower one in force means that the pool's maximum or another class holds it down.</param>
    /// <param name="verified">The verified size, or the start size of a cold class.</param>
    /// <param name="cold">Nothing has been verified yet.</param>
    /// <param name="mayGrow">False while the class reads as a hog.</param>
    public LoanStep Observe(in ClassObservation c, in MachineObservation m, int wanted, int verified, bool cold, bool mayGrow)
    {
        Track(c);
        if (Active && c.EpisodeOver)
        {
            Active = false;
            return new(_sleepers ? LoanAction.Verify : LoanAction.Repay);
        }

        if (Active && IsPassed(c))
        {
            // Some of its items are still there; their places are the stuck rule's to give, and a size with them in it is none to measure.
            Active = false;
            return new(LoanAction.Repay);
        }

        if (!mayGrow || c.Limit < wanted || c.Queued == 0 || c.Active < c.Limit * (Active ? 0.75 : 1) || !IsDue(c, m, out bool sleepers))
        {
            return default;
        }

        int cap = sleepers ? int.MaxValue : Cap(c, verified, cold);
        int next = (int)Math.Min(Math.Min(2L * c.Limit, cap), Math.Min(settings.MaxLimit, UsedSizeRule.DemandCap(c)));
        return next > c.Limit ? Lend(c, next) : default;
    }

    /// <summary>Notes progress at a tick at which somebody else decides.</summary>
    public void Track(in ClassObservation c)
    {
        bool completed = c.Completed != _completed;
        _completed = c.Completed;
        bool slept = c.Now - _lastAt > settings.Pause;
        _lastAt = c.Now;
        if (completed || slept || (!Active && !c.LimitBound))
        {
            _progressAt = c.Now;
        }
    }

    /// <summary>Ends the episode without a word: somebody else has decided the size.</summary>
    public void Cancel(TimeSpan now)
    {
        Active = false;
        _progressAt = now;
    }

    private LoanStep Lend(in ClassObservation c, int next)
    {
        bool begin = !Active;
        if (begin)
        {
            Active = true;
            _stallAt = _progressAt;
            _stepAt = _progressAt;
            _completedAtStart = c.Completed;
        }

        // Steps fall due on a grid of stall times, so that a coarse tick delays one step and not all that follow.
        TimeSpan stall = StallTime(c);
        TimeSpan due = _stepAt > _progressAt ? _stepAt + stall : _progressAt + stall;
        _stepAt = c.Now - due < stall ? due : c.Now;
        _ageAtStep = c.Now - _stallAt;
        _sleepers = settings.InFlight || c.SleepingShare >= settings.SleepersShare;
        return new(LoanAction.Lend, next, begin);
    }

    // An item that never ends must not keep an episode open for ever while two generations of others have passed it. Not before all that the last step brought in, and still block, count as stuck.
    private bool IsPassed(in ClassObservation c) =>
        c.Completed - _completedAtStart >= 2L * c.Limit && c.Now - _stepAt >= settings.PatienceFor(c.LongServiceSeconds) * settings.PassedFactor;

    private bool IsDue(in ClassObservation c, in MachineObservation m, out bool sleepers)
    {
        sleepers = Sleeps(c);
        double cores = Math.Max(1, m.Known ? m.Cores : settings.Cores);
        bool tasks = WaitsForTasks(c);
        bool asleep = tasks || (sleepers && !(c.BlockedShare < settings.SleepersShare));
        bool idle = asleep && !settings.InFlight && !(tasks && c.Limit >= settings.SmallSize);
        if (m.Known && m.OwnCoresOf(c) >= settings.LoanOwnShare * cores && !idle)
        {
            // Who sleeps has not made the CPU busy, whatever else is being compiled. Who waits for a task may wait for what makes it busy: beyond small sizes that is not enough.
            return false;
        }

        // Who sleeps, and does not wait for a core either, is not held up by others' use of the CPU.
        bool othersBusy = !asleep && (!m.Known || m.IdleCores <= settings.LoanIdleShare * cores);
        if (othersBusy && !sleepers && !(c.BlockedShare >= 0.5))
        {
            // On a machine full of others' work, nothing completes because nothing runs: a loan needs proof that the workers are blocked.
            return false;
        }

        TimeSpan stall = StallTime(c);
        TimeSpan still = c.Now - _progressAt;
        if (!Active)
        {
            return still >= (othersBusy ? stall * settings.OthersBusyFactor : stall);
        }

        if (sleepers)
        {
            TimeSpan last = _stepAt > _progressAt ? _stepAt : _progressAt;
            return c.Now - last >= stall;
        }

        TimeSpan age = c.Now - _stallAt;
        return still >= stall && age >= 2 * _ageAtStep && (!othersBusy || still >= stall * settings.OthersBusyFactor);
    }

    private int Cap(in ClassObservation c, int verified, bool cold)
    {
        long cap = cold ? (long)settings.ColdLoanCap * Math.Max(1, settings.Cores) : (long)settings.LoanCap * verified;
        TimeSpan still = c.Now - _progressAt;
        double lift = Math.Max(1, still / settings.LoanCapAge);
        return (int)Math.Min(int.MaxValue, cap * lift);
    }

    private bool Sleeps(in ClassObservation c) => settings.InFlight || c.SleepingShare >= settings.LoanSleepersShare;

    private bool WaitsForTasks(in ClassObservation c) => c.TaskWaitShare >= settings.SleepersShare;
}
