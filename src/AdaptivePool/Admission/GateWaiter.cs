using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// One that waits: the task it awaits, its place in a lane, and what was decided about it. Everything but the task is read and written under the gate's lock; the task is completed after it, because a
/// synchronization context may run code of others.
/// </summary>
internal sealed class GateWaiter(TransactionGate gate, in TransactionRequest request, int group, TimeSpan since, LeaseFlow? flow)
    : TaskCompletionSource<RateLimitLease>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public TransactionRequest Request { get; } = request;

    public int Group { get; } = group;

    public TimeSpan Since { get; } = since;

    /// <summary>Where the lease is put so that it flows with the caller's context.</summary>
    public LeaseFlow? Flow { get; } = flow;

    public WaiterLane? Lane { get; set; }

    public GateWaiter? Older { get; set; }

    public GateWaiter? Newer { get; set; }

    /// <summary>The next one decided under the same lock.</summary>
    public GateWaiter? NextDecided { get; set; }

    public CancellationTokenRegistration Registration { get; set; }

    /// <summary>Set when decided: the lease or the refusal. With neither the wait was cancelled.</summary>
    public RateLimitLease? Outcome { get; set; }

    public CancellationToken CancelledBy { get; set; }

    public void Cancel(CancellationToken token) => gate.CancelWait(this, token);

    /// <summary>Tells the one that waits. Not under the lock.</summary>
    public void Complete()
    {
        // Not Dispose: that would wait for a callback which waits for the gate's lock.
        Registration.Unregister();
        if (Outcome is { } outcome)
        {
            SetResult(outcome);
        }
        else
        {
            SetCanceled(CancelledBy);
        }
    }
}
