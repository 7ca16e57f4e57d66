namespace AdaptivePool.Blocking;

/// <summary>
/// When a pool counts as deadlocked: its threads or limits have reached the maximum, or fixed sizes are used up; every worker that holds an item is blocked;
/// work waits (an idle worker has no slot for it: one thread is reserved for work in flight); and nothing has started or ended for long. The deadlock ends
/// when any of the blocked workers moves, or when the maximum is raised. What lent threads complete does not end it, because they would be taken back while
/// the workers are still stuck.
/// </summary>
/// <param name="timeoutSeconds">How long; infinite for never.</param>
internal sealed class DeadlockRule(double timeoutSeconds)
{
    private long _heartbeats;
    private long _activeHeartbeats;
    private double _stuckSeconds;
    private bool _holds;
    private bool _isFixed;

    /// <summary>Takes a look into account.</summary>
    /// <param name="seen">What it saw.</param>
    /// <param name="elapsedSeconds">Time since the look before, without pauses of the process: a suspended pool is not deadlocked.</param>
    /// <returns>Whether the pool is deadlocked.</returns>
    public bool Decide(in DeadlockObservation seen, double elapsedSeconds)
    {
        // What lent threads leave behind has room, and does not help the workers that are stuck.
        _isFixed = seen.IsFixed || (_holds && _isFixed);
        bool isStuck = seen.Active > 0 && seen.Blocked >= seen.Active && (seen.Size >= seen.MaxThreads || _isFixed) && (_holds
            ? seen.ActiveHeartbeats == _activeHeartbeats
            : seen.Heartbeats == _heartbeats && seen.Queued > 0);
        _heartbeats = seen.Heartbeats;
        _activeHeartbeats = seen.ActiveHeartbeats;
        _stuckSeconds = isStuck ? _stuckSeconds + elapsedSeconds : 0;
        _holds = isStuck && (_holds || _stuckSeconds >= timeoutSeconds);
        return _holds;
    }
}
