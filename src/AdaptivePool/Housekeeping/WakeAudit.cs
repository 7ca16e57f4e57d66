using AdaptivePool.Dispatch;

namespace AdaptivePool.Housekeeping;

/// <summary>
/// Looks for work that waits beside an idle worker, helps it, and tells lost wakes from late ones. It looks at everything itself, and so it looks rarely. It
/// does not use the sets, because the code that keeps them may have the mistakes that it looks for.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="set">The workers.</param>
internal sealed class WakeAudit<TSync>(WorkerSet<TSync> set)
    where TSync : struct, ISync
{
    private readonly RescueRule _rule = new();
    private double _lookedAt = double.NegativeInfinity;
    private long _rescues;
    private long _lateWakes;
    private Worker<TSync>? _awaited;
    private long _awaitedSequence;
    private double _awaitedSince;

    /// <summary>Lost wakes. Anything but zero is a bug.</summary>
    public long Rescues => TSync.RelaxedRead(ref _rescues);

    /// <summary>Wakes that came late: the thread that was on the way got no processor.</summary>
    public long LateWakes => TSync.RelaxedRead(ref _lateWakes);

    /// <summary>Looks if it is time to. The sizing thread only.</summary>
    /// <param name="now">Time in seconds, without the time in which the process stood still.</param>
    public void Look(double now)
    {
        if (now - _lookedAt < RescueRule.HelpSeconds / RescueRule.LooksPerHelp)
        {
            return;
        }

        _lookedAt = now;
        LookForAwaited(now);
        bool isHeldUp = !set.Stopped && !set.Idle.IsEmpty && set.HasEligibleWorkAnywhere();
        switch (_rule.Observe(now, isHeldUp ? Observe() : default))
        {
            case AuditFinding.Lost:
                TSync.RelaxedWrite(ref _rescues, _rescues + 1);
                Rescue();
                break;
            case AuditFinding.Late:
                TSync.RelaxedWrite(ref _lateWakes, _lateWakes + 1);
                Await(now);
                Rescue();
                break;
        }
    }

    private AuditLook Observe()
    {
        // Threads first: a thread that owes a wake passes the task on to a worker before it owes none.
        long wakes = set.Wakes;
        bool isOnTheWay = set.IsOwed;
        long heartbeats = 0;
        foreach (ref Worker<TSync>? place in set.Workers.AsSpan())
        {
            if (TSync.RelaxedRead(ref place) is { } worker)
            {
                isOnTheWay |= worker.IsOnTheWay;
                heartbeats += worker.Sequence;
            }
        }

        return new AuditLook(IsHeldUp: true, heartbeats, wakes, isOnTheWay);
    }

    // Whatever the token and the sets say.
    private void Rescue()
    {
        set.ClearSearching();
        foreach (ClassCore<TSync> candidate in set.Classes)
        {
            set.MayRun(candidate);
        }

        set.EnsureWorker();
    }

    // A worker that is only late comes. One that never does has lost its wake.
    private void Await(double now)
    {
        if (_awaited is null && Array.Find(set.Workers, static worker => worker is { IsOnTheWay: true }) is { } found)
        {
            (_awaited, _awaitedSequence, _awaitedSince) = (found, found.Sequence, now);
        }
    }

    private void LookForAwaited(double now)
    {
        if (_awaited is not { } worker)
        {
            return;
        }

        if (!worker.IsOnTheWay || worker.Sequence != _awaitedSequence || !ReferenceEquals(set.WorkerOf(worker.Id), worker))
        {
            _awaited = null;
        }
        else if (now - _awaitedSince > RescueRule.MissingSeconds)
        {
            TSync.RelaxedWrite(ref _rescues, _rescues + 1);
            _awaited = null;
        }
    }
}
