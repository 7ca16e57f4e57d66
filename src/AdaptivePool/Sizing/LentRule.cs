namespace AdaptivePool.Sizing;

/// <summary>
/// Threads beyond the size of a class, for workers that wait longer than they may. Two moments say which: nothing completes, then all that are in flight
/// (the stall, at the pace of what they wait for); others complete, then those that are older than the patience (the stuck). Whoever comes back is no longer
/// lent. What completes nothing may be a server that answers nobody: it gets no new caller for each that waits, but a bound.
/// </summary>
internal sealed class LentRule(ClassSizeSettings settings)
{
    // A stall is this many times the long service time.
    private const double LongTimes = 2;

    // While only others use the CPU, ten times the wait.
    private const double OthersBusyTimes = 10;

    // What workers that do not sleep may be lent: so many times the kept size, or the cores while nothing is verified.
    private const int KeptTimes = 8;
    private const int CoreTimes = 4;

    // A stall has passed when so many times the patience has: a little more than 1, because the last of its items began after the last step.
    private const double PassedFactor = 1.25;

    // Of an open stall, or one that was declared: thread starts take a while, and the next step need not wait for the last of them.
    private const double MostlyUsed = 0.75;

    // 0.05 of 40 workers are two, not three.
    private const double Rounding = 1e-6;

    // Right for sleeps: pace, bound and end protect a server, not this.
    private static readonly TimeSpan s_shortestStall = TimeSpan.FromMilliseconds(10);

    // Where the hook has seen most workers enter waits for tasks what 10 ms of silence only make likely is certain from the start; so it is between the steps
    // to sleepers, once the first stall has shown that they sleep. 5 ms double a cold pool of 2 to 200 within one inner await of 50 ms.
    private static readonly TimeSpan s_certainStall = TimeSpan.FromMilliseconds(5);

    // A server that has answered nothing for so long has nothing to lose, and queued work must find a worker (rule R3): the bound grows with the time.
    private static readonly TimeSpan s_nothingToLose = TimeSpan.FromSeconds(8);

    private TimeSpan _progressAt;
    private TimeSpan _stuckFrom = TimeSpan.MinValue;
    private Stall? _stall;

    /// <summary>Lent because nothing completed. Above 0 nobody else decides the size: what is in force is not measured.</summary>
    public int Stalled => _stall?.Threads ?? 0;

    /// <summary>Lent because of items older than the patience, while others complete.</summary>
    public int Stuck { get; private set; }

    /// <summary>A stall is open.</summary>
    public bool IsOpen => _stall is not null;

    /// <summary>The class may have so many workers beyond its size.</summary>
    public int Threads => (int)Math.Min(int.MaxValue, (long)Stalled + Stuck);

    /// <summary>How long nothing must have completed for threads to be lent to the class as it is now.</summary>
    public TimeSpan StallTime(in ClassObservation c)
    {
        if (settings.StallLimit is { } fixedLimit)
        {
            return fixedLimit;
        }

        if (KindRule.SleepAsDeclared(c))
        {
            // Nobody need guess from silence what they have said. As long as others complete more often than that, a server may stand behind, and is busy.
            return s_certainStall;
        }

        bool tasks = KindRule.WaitForTasks(c);
        if (IsOpen && (tasks || (Sleeps(c) && KindRule.NearlyAllSleep(c.SleepingShare))))
        {
            // How long items took before, and what completes meanwhile, is no measure of an open stall: those that were added only have to fall asleep too.
            return s_certainStall;
        }

        TimeSpan served = TimeSpan.FromSeconds(Math.Min(3600, LongTimes * c.LongServiceSeconds));

        // Half of them asleep says less: the others may be before a server, which gets their pace.
        TimeSpan floor = tasks || (IsOpen && Sleeps(c)) ? s_certainStall : s_shortestStall;
        return served > floor ? served : floor;
    }

    /// <summary>Takes one tick.</summary>
    /// <param name="c">The class, lent threads included.</param>
    /// <param name="m">The machine.</param>
    /// <param name="size">The size that was decided: a lower limit in force means that the pool's maximum or another class holds it down.</param>
    /// <param name="kept">The kept size, which bounds what is lent to workers that do not sleep.</param>
    /// <param name="isCold">Nothing has been verified yet: the cores bound it.</param>
    /// <param name="mayGrow">False while the class reads as a hog.</param>
    public LentEnd Observe(in ClassObservation c, in MachineObservation m, int size, int kept, bool isCold, bool mayGrow)
    {
        bool passed = c.Ended > 0;
        FollowProgress(c);
        TimeSpan patience = ClassSizeSettings.PatienceFor(c.LongServiceSeconds);
        LentEnd end = _stall is { } stall && c.Completed != stall.Completed ? Follow(c, stall, patience) : LentEnd.None;
        if (passed && mayGrow && !IsOpen && c.Now - patience > _stuckFrom)
        {
            _stuckFrom = c.Now - patience;
        }

        int stuck = Waiting(c, _stuckFrom);
        Stuck = passed ? stuck : Math.Min(Stuck, stuck);
        if (end == LentEnd.None && mayGrow)
        {
            Lend(c, m, size, isCold ? CoreTimes * c.Cores : (long)KeptTimes * kept);
        }

        return end;
    }

    /// <summary>Takes back what a stall was lent, without a word: the size was decided elsewhere, and no time before that counts.</summary>
    public void Cancel(TimeSpan now) => (_stall, _progressAt) = (null, now);

    private void FollowProgress(in ClassObservation c)
    {
        // Who has declared a wait waits for no thread that is still to start.
        bool mayWait = c.LimitBound || (c.Queued > 0 && KindRule.SleepAsDeclared(c));
        if (c.Ended != 0 || c.IsAfterPause || (!IsOpen && !mayWait))
        {
            _progressAt = c.Now;
        }
    }

    // Something has completed since the last step.
    private LentEnd Follow(in ClassObservation c, Stall stall, TimeSpan patience)
    {
        int waiting = Math.Max(0, Waiting(c, stall.SteppedAt) - Stuck);
        bool mostAreBack = waiting <= stall.Waited / 2;
        bool slept = mostAreBack && KindRule.NearlyAllSleep(stall.Slept);

        // An item that never ends must not keep a stall open for ever while generations of others pass it: it is stuck, and a size with it in it is none to
        // measure. Not before all that the last step brought in, and still wait, count as stuck.
        bool passed = c.Completed - stall.Completed >= 2L * c.Limit && c.Now - stall.SteppedAt >= patience * PassedFactor;
        if (!slept && !passed && waiting > 0)
        {
            // A server is called by one less for each that comes back; sleepers need their threads for those that are about to.
            bool isLess = waiting < stall.Threads && (mostAreBack || !KindRule.MostSleep(stall.Slept));
            _stall = isLess ? stall with { Threads = waiting } : stall;
            return LentEnd.None;
        }

        _stall = null;
        return slept ? LentEnd.Verify : LentEnd.Returned;
    }

    private void Lend(in ClassObservation c, in MachineObservation m, int size, long cap)
    {
        int limit = c.Limit - Stuck;
        int active = c.Active - Stuck;
        bool isHeldDown = c.Limit < (long)size + Threads;
        if (isHeldDown || c.Queued == 0 || active < limit * (IsOpen || KindRule.SleepAsDeclared(c) ? MostlyUsed : 1) || !IsDue(c, m, limit, out bool sleepers))
        {
            return;
        }

        // A lent worker is one of those that wait at the next step: doubling follows.
        TimeSpan still = c.Now - _progressAt;
        long bound = sleepers ? int.MaxValue : (long)Math.Min(int.MaxValue, cap * Math.Max(1, still / s_nothingToLose));
        int next = (int)Math.Min(Math.Min(2L * limit, bound), Math.Min(settings.MaxLimit, UsedSizeRule.DemandCap(c)) - Stuck);
        if (next <= limit)
        {
            return;
        }

        // Steps fall due on a grid of stall times, so that a coarse tick delays one step and not all that follow.
        TimeSpan stall = StallTime(c);
        TimeSpan due = LastStep + stall;
        _stall = new(next - size, c.Now, c.Now - due < stall ? due : c.Now, still, c.Completed, active, settings.InFlight ? 1 : c.SleepingShare);
    }

    private TimeSpan LastStep => _stall is { } stall && stall.DueAt > _progressAt ? stall.DueAt : _progressAt;

    private bool IsDue(in ClassObservation c, in MachineObservation m, int limit, out bool sleepers)
    {
        sleepers = Sleeps(c);
        double cores = Math.Max(1, m.Known ? m.Cores : c.Cores);
        bool tasks = KindRule.WaitForTasks(c);
        bool asleep = tasks || (sleepers && !KindRule.ReadsAsRunning(c));
        bool mayBeBusyForThem = tasks && limit >= c.SmallSize && !KindRule.SleepAsDeclared(c);
        bool idle = asleep && KindRule.MostSleep(c.SleepingShare) && !mayBeBusyForThem;
        if (m.Known && m.OwnCoresOf(c) >= ClassSizeSettings.LoanOwnShare * cores && !idle)
        {
            // Who sleeps has not made the CPU busy, whatever else is being compiled. Who waits for a task may wait for what makes it busy: beyond small sizes
            // that is not enough. Who has declared a wait, and is not seen to compute, sleeps.
            return false;
        }

        // Who sleeps, and does not wait for a core either, is not held up by others' use of the CPU.
        bool othersBusy = !asleep && (!m.Known || m.IdleCores <= ClassSizeSettings.LoanIdleShare * cores);
        if (othersBusy && !sleepers && !KindRule.IsProvenBlocked(c))
        {
            // On a machine full of others' work, nothing completes because nothing runs: a loan needs proof that the workers are blocked.
            return false;
        }

        TimeSpan stall = StallTime(c);
        TimeSpan still = c.Now - _progressAt;
        if (IsOpen && sleepers)
        {
            return c.Now - LastStep >= stall;
        }

        bool isTwiceAsLong = _stall is not { } open || still >= 2 * open.Still;
        return isTwiceAsLong && still >= (othersBusy ? stall * OthersBusyTimes : stall);
    }

    // Who does not wait visibly may compute: as many of those as the class keeps cores busy do (rule R6).
    private static int Waiting(in ClassObservation c, TimeSpan begunBy)
    {
        if (c.Ages is null || begunBy == TimeSpan.MinValue)
        {
            return 0;
        }

        (int waiting, int elsewhere) = c.Ages.CountFrom((c.Now - begunBy - ClassObservation.Grain).TotalSeconds);
        double blocked = double.IsNaN(c.BlockedShare) ? 0 : c.BlockedShare;
        int computing = elsewhere == 0 ? 0 : (int)Math.Ceiling(((1 - blocked) * c.Active) - Rounding);
        return Math.Min(c.Active, waiting + Math.Max(0, elsewhere - computing));
    }

    // The first step past a few threads, before anything has completed, asks for more than half asleep at one look.
    private bool Sleeps(in ClassObservation c) => settings.InFlight
        || (c.Completed == 0 && c.Limit <= c.SmallSize ? KindRule.SleepsFromTheStart(c) : KindRule.MostSleep(c.SleepingShare));

    // An open stall as its last step left it: what was lent, less those that came back, and what that step saw. Due is the time on the grid of stall times.
    private sealed record Stall(int Threads, TimeSpan SteppedAt, TimeSpan DueAt, TimeSpan Still, long Completed, int Waited, double Slept);
}
