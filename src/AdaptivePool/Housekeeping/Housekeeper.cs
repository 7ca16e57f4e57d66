using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Housekeeping;

/// <summary>
/// What the sizing thread does at each look besides sizing: it offers work that is held up to other workers, pays owed wakes, finds lost ones, and ends
/// threads that have nothing to do. The sizing thread only, except for the counters.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="set">The workers.</param>
/// <param name="idleTimeout">See <see cref="RetirementRule"/>.</param>
/// <param name="kickUpAfter">When work of a low priority comes in turn with that of a higher one.</param>
/// <param name="hasSafetyNet">See <see cref="HasSafetyNet"/>.</param>
internal sealed class Housekeeper<TSync>(WorkerSet<TSync> set, TimeSpan idleTimeout, TimeSpan kickUpAfter, bool hasSafetyNet)
    where TSync : struct, ISync
{
    private readonly WakeAudit<TSync> _audit = new(set);
    private readonly RetirementRule _retirement = new(idleTimeout);
    private bool _hasSafetyNet = hasSafetyNet;
    private bool _isOwed;

    /// <summary>Lost wakes found and healed by the audit. Anything but zero is a bug.</summary>
    public long Rescues => _audit.Rescues;

    /// <summary>Wakes that came late and were helped by the audit: the thread that was on the way got no processor.</summary>
    public long LateWakes => _audit.LateWakes;

    /// <summary>Whether looks wake workers for work that waits. Without it, a wake that was lost stays lost. Any thread.</summary>
    public bool HasSafetyNet { get => TSync.RelaxedRead(ref _hasSafetyNet); set => TSync.RelaxedWrite(ref _hasSafetyNet, value); }

    /// <summary>
    /// Lets other workers take the local work of a worker whose item runs on and on: workers without other work soon, workers that have some after a while.
    /// </summary>
    /// <param name="runningOn">Workers that still run the item of the look before, and for how long.</param>
    public void OfferHeldUp(ValueList<RunningItem<TSync>> runningOn)
    {
        bool isHeldUp = false;
        bool isHeldUpLong = false;
        for (int i = 0; i < runningOn.Count; i++)
        {
            (Worker<TSync> worker, double seconds) = runningOn[i];
            worker.TimeNextItems();
            if (worker.HasLocal)
            {
                worker.OfferLoneItem();
                isHeldUp = true;
                isHeldUpLong |= seconds >= TurnRule.OthersAfterSeconds;
            }
        }

        set.HasHeldUp = isHeldUpLong;
        if (isHeldUp && HasSafetyNet)
        {
            set.WakeForHeldUp();
        }
    }

    /// <summary>Looks at what waits in a class.</summary>
    /// <param name="core">The class.</param>
    public void LookAt(ClassCore<TSync> core)
    {
        core.Queue.Ages.Look(
            QueueAges<TSync>.Now, unchecked((int)(core.Completed + core.LeftOut) + core.Limit.Active), core.IsInFlight ? set.LocalCount() : 0, kickUpAfter);
        _isOwed |= HasSafetyNet && !core.IsInFlight && core.HasShortItems && set.MayRun(core);
    }

    /// <summary>Queues items of open transactions that have waited too long behind new work a second time, with the work in flight.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    public void LookAtHeldBack(double now)
    {
        set.HeldBack.Look(now);
        while (set.HeldBack.TryTakeDue(now, kickUpAfter, out object? item))
        {
            set.QueueInFlight(item);
        }
    }

    /// <summary>
    /// Pays the wakes that running workers owe for short items that they were to take soon. Called after <see cref="LookAt"/> for each class.
    /// </summary>
    public void PayWakes()
    {
        if (_isOwed)
        {
            set.EnsureWorker();
        }

        _isOwed = false;
    }

    /// <summary>Looks for lost wakes, and ends as many threads as <see cref="RetirementRule"/> says.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="minThreads">Threads that stay.</param>
    public void LookAtThreads(double now, int minThreads)
    {
        if (HasSafetyNet)
        {
            _audit.Look(now);
        }

        EndThreads(now, minThreads);
    }

    /// <summary>Ends as many threads as <see cref="RetirementRule"/> says.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="minThreads">Threads that stay.</param>
    public void EndThreads(double now, int minThreads)
    {
        int superfluous = _retirement.Look(now, set.Idle.Count, set.Existing, set.ThreadsCreated, minThreads);
        if (superfluous > 0)
        {
            _retirement.Told(set.Retire(superfluous));
        }
    }

    /// <summary>Whether every worker sleeps, except those that have been told to end.</summary>
    public bool AreAllIdle => set.Idle.Count >= _retirement.Staying(set.Existing, set.ThreadsCreated);

    /// <summary>Skips looks that would end no thread. Called when all workers sleep.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="minThreads">Threads that stay.</param>
    public void Rest(double now, int minThreads) => _retirement.Rest(now, set.Existing, set.ThreadsCreated, minThreads);

    /// <summary>How long until threads may end; infinite where none may.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    /// <param name="minThreads">Threads that stay.</param>
    public TimeSpan UntilRetirement(double now, int minThreads) =>
        set.Existing > minThreads ? TimeSpan.FromSeconds(Math.Max(0.001, _retirement.SecondsLeft(now))) : Timeout.InfiniteTimeSpan;
}
