using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// What a caller that waits gets: the task that it awaits. It is a task and not a reusable source, because a caller that blocks on it must be woken without a
/// thread of the runtime's pool. It is decided under the gate's lock, and completed after the lock is released, because a synchronization context may run
/// other code.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class GateAnswer<TSync>() : TaskCompletionSource<RateLimitLease>(TaskCreationOptions.RunContinuationsAsynchronously)
    where TSync : struct, ISync
{
    // One field for both: an answer that waits is not decided.
    private object? _link;

    /// <summary>The waiter of the answer, as long as the caller waits.</summary>
    public GateWaiter<TSync>? Waiter
    {
        get => _link as GateWaiter<TSync>;
        set => _link = value;
    }

    /// <summary>The next answer that was decided under the same lock.</summary>
    public GateAnswer<TSync>? Next
    {
        get => _link as GateAnswer<TSync>;
        set => _link = value;
    }

    /// <summary>The caller was let in.</summary>
    public abstract void Admit(LeaseHold<TSync> hold);

    /// <summary>The caller was refused.</summary>
    public abstract void Refuse(RefusedLease refusal);

    /// <summary>Tells the caller that waits. Called once, and not under the lock.</summary>
    /// <param name="cancelledBy">The token that cancelled the wait, if the caller was neither let in nor refused.</param>
    public abstract void Complete(CancellationToken cancelledBy = default);
}
