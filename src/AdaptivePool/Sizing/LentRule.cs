namespace AdaptivePool.Sizing;

/// <summary>
/// Lends threads beyond the size of a class for workers that wait longer than they may. There are two cases. When nothing completes, the loan is for all
/// workers in flight (the stall, at the pace of what they wait for). When other items complete, it is for workers in items older than the patience (the
/// stuck). The loan for a worker ends when the worker comes back. The cause of a stall may be a server that answers no caller: such a server does not get a
/// new caller for each one that waits, but the loan has a bound.
/// </summary>
internal sealed class LentRule(ClassSizeSettings settings)
{
    // A stall is this many times the long service time.
    private const double LongTimes = 2;

    // The factor for the wait while other processes use the CPU.
    private const double OthersBusyTimes = 10;

    // Bound of the loan to workers that do not sleep: so many times the kept size, or so many times the cores while no size is verified.
    private const int KeptTimes = 8;
    private const int CoreTimes = 4;

    // A stall has passed after so many times the patience. The factor is a little more than 1, because the last of its items began after the last step.
    private const double PassedFactor = 1.25;

    // Share of the threads in use that is enough in an open stall, or a declared one. Thread starts take a while, and the next step need not wait for the
    // last of them.
    private const double MostlyUsed = 0.75;

    // The right value for sleeps. The pace, the bound and the end protect a server, not this value.
    private static readonly TimeSpan s_shortestStall = TimeSpan.FromMilliseconds(10);

    // 10 ms of silence make a stall only likely. It is certain from the start where the hook has seen most workers enter waits for tasks. It is also certain
    // between the steps to sleepers, once the first stall has shown that they sleep. 5 ms double a cold pool of 2 to 200 within one inner await of 50 ms.
    private static readonly TimeSpan s_certainStall = TimeSpan.FromMilliseconds(5);

    // A server that has answered nothing for so long has nothing to lose, and queued work must find a worker (rule R3). The bound grows with the time.
    private static readonly TimeSpan s_nothingToLose = TimeSpan.FromSeconds(8);

    private TimeSpan _progressAt;
    private TimeSpan _stuckFrom = TimeSpan.MinValue;
    private Stall? _stall;
    private PassingRule _passing;

    /// <summary>Threads lent because nothing completed. While it is above 0 no other rule decides the size: what is in force is not measured.</summary>
    public int Stalled => _stall?.Threads ?? 0;

    /// <summary>Threads lent because of items older than the patience, while other items complete.</summary>
    public int Stuck { get; private set; }

    /// <summary>A stall is open.</summary>
    public bool IsOpen => _stall is not null;

    /// <summary>The number of workers that the class may have beyond its size.</summary>
    public int Threads => (int)Math.Min(int.MaxValue, (long)Stalled + Stuck);

    /// <summary>Short items have just passed the long ones that hold most workers.</summary>
    /// <param name="c">The class at the last look.</param>
    public bool ShortPass(in ClassObservation c) => _passing.IsSeen(c);

    /// <summary>Returns how long nothing must have completed before threads are lent to the class in its present state.</summary>
    public TimeSpan StallTime(in ClassObservation c)
    {
        if (settings.StallLimit is { } fixedLimit)
        {
            return fixedLimit;
        }

        if (KindRule.SleepAsDeclared(c))
        {
            // Workers that have declared their wait need no guess from silence. While other items complete more often than this time, a server may stand
            // behind the class, and is busy.
            return s_certainStall;
        }

        bool tasks = KindRule.WaitForTasks(c);
        if (IsOpen && (tasks || (Sleeps(c) && KindRule.NearlyAllSleep(c.SleepingShare))))
        {
            // Earlier service times and completions meanwhile are no measure of an open stall: the workers that were added only have to fall asleep too.
            return s_certainStall;
        }

        // Where short items have just passed the long ones, silence means that all workers are in long ones now. Nothing that they wait for holds the others
        // up, and more threads go on with the short ones.
        double service = ShortPass(c) && KindRule.NearlyAllSleep(c.SleepingShare) ? c.MeanServiceSeconds : c.LongServiceSeconds;
        TimeSpan served = TimeSpan.FromSeconds(Math.Min(3600, LongTimes * service));

        // Half of the workers asleep says less: the others may be before a server, and get the pace for a server.
        TimeSpan floor = tasks || (IsOpen && Sleeps(c)) ? s_certainStall : s_shortestStall;
        return served > floor ? served : floor;
    }

    /// <summary>Takes one tick.</summary>
    /// <param name="c">The class, lent threads included.</param>
    /// <param name="m">The machine.</param>
    /// <param name="size">The size that was decided. A lower limit in force means that the pool's maximum or another class holds the class down.</param>
    /// <param name="kept">The kept size, which bounds what is lent to workers that do not sleep.</param>
    /// <param name="isCold">Nothing has been verified yet: the cores bound the loan.</param>
    /// <param name="mayGrow">False while the class reads as a hog.</param>
    public LentEnd Observe(in ClassObservation c, in MachineObservation m, int size, int kept, bool isCold, bool mayGrow)
    {
        bool passed = c.Ended > 0;
        FollowProgress(c);
        _passing.Observe(c);
        TimeSpan patience = ClassSizeSettings.PatienceFor(c.LongServiceSeconds);
        LentEnd end = _stall is { } stall && c.Completed != stall.Completed ? Follow(c, stall, patience) : LentEnd.None;
        if (passed && mayGrow && !IsOpen && c.Now - patience > _stuckFrom)
        {
            _stuckFrom = c.Now - patience;
        }

        int stuck = c.CountWaiting(_stuckFrom);
        Stuck = passed ? stuck : Math.Min(Stuck, stuck);
        if (end == LentEnd.None && mayGrow)
        {
            Lend(c, m, size, isCold ? CoreTimes * c.Cores : (long)KeptTimes * kept);
        }

        return end;
    }

    /// <summary>Takes back the loan of a stall without a report. The size was decided elsewhere, and no earlier time counts.</summary>
    public void Cancel(TimeSpan now) => (_stall, _progressAt) = (null, now);

    private void FollowProgress(in ClassObservation c)
    {
        // A worker that has declared its wait does not wait for a thread that is still to start.
        bool mayWait = c.LimitBound || (c.Queued > 0 && KindRule.SleepAsDeclared(c));
        if (c.Ended != 0 || c.IsAfterPause || (!IsOpen && !mayWait))
        {
            _progressAt = c.Now;
        }
    }

    // Something has completed since the last step.
    private LentEnd Follow(in ClassObservation c, Stall stall, TimeSpan patience)
    {
        int waiting = Math.Max(0, c.CountWaiting(stall.SteppedAt) - Stuck);
        bool mostAreBack = waiting <= stall.Waited / 2;
        bool slept = mostAreBack && KindRule.NearlyAllSleep(stall.Slept);

        // An item that never ends must not keep a stall open for ever while generations of other items pass it. Such an item is stuck, and a size that
        // includes it cannot be measured. The stall passes only after all items that the last step brought in, and that still wait, count as stuck.
        bool passed = c.Completed - stall.Completed >= 2L * c.Limit && c.Now - stall.SteppedAt >= patience * PassedFactor;
        if (!slept && !passed && waiting > 0)
        {
            // A server gets one caller less for each worker that comes back. Sleepers keep their threads for the workers that are about to come back.
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

        // A lent worker is one of the workers that wait at the next step, so the loan doubles.
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
            // Workers that sleep have not made the CPU busy, whatever is being compiled. Workers that wait for a task may wait for the code that makes it
            // busy: beyond small sizes their wait is not enough. A worker that has declared its wait, and is not seen to compute, sleeps.
            return false;
        }

        // Workers that sleep, and do not wait for a core either, are not held up by other processes that use the CPU.
        bool othersBusy = !asleep && (!m.Known || m.IdleCores <= ClassSizeSettings.LoanIdleShare * cores);
        if (othersBusy && !sleepers && !KindRule.IsProvenBlocked(c))
        {
            // On a machine full of others' work nothing completes because nothing runs. A loan needs proof that the workers are blocked.
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

    // The first step past a few threads, before anything has completed, needs more than half of the workers asleep at one look.
    private bool Sleeps(in ClassObservation c) => settings.InFlight
        || (c.Completed == 0 && c.Limit <= c.SmallSize ? KindRule.SleepsFromTheStart(c) : KindRule.MostSleep(c.SleepingShare));

    // The state of an open stall after its last step: the threads that were lent, less the workers that came back, and what that step saw. DueAt is the time
    // on the grid of stall times.
    private sealed record Stall(int Threads, TimeSpan SteppedAt, TimeSpan DueAt, TimeSpan Still, long Completed, int Waited, double Slept);
}
