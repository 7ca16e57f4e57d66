using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// What one that waits gets: the task it awaits. A task and no source that is used again, because whoever blocks on it must not need a thread of the runtime's
/// pool to be woken. Decided under the gate's lock; completed after it, because a synchronization context may run code of others.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class GateAnswer<TSync>() : TaskCompletionSource<RateLimitLease>(TaskCreationOptions.RunContinuationsAsynchronously)
    where TSync : struct, ISync
{
    // One field for both: an answer that waits is not decided.
    private object? _link;

    /// <summary>Its place, as long as it waits.</summary>
    public GateWaiter<TSync>? Waiter
    {
        get => _link as GateWaiter<TSync>;
        set => _link = value;
    }

    /// <summary>The next one decided under the same lock.</summary>
    public GateAnswer<TSync>? Next
    {
        get => _link as GateAnswer<TSync>;
        set => _link = value;
    }

    /// <summary>It was let in.</summary>
    public abstract void Admit(LeaseHold<TSync> hold);

    /// <summary>It was refused.</summary>
    public abstract void Refuse(RefusedLease refusal);

    /// <summary>Tells the one that waits. Once, and not under the lock.</summary>
    /// <param name="cancelledBy">What cancelled the wait, when it was neither let in nor refused.</param>
    public abstract void Complete(CancellationToken cancelledBy = default);
}
