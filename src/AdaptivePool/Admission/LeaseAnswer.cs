using System.Threading.RateLimiting;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>The answer to one that waits for a lease.</summary>
internal sealed class LeaseAnswer : GateAnswer<RealSync>
{
    private readonly GateCore<RealSync> _core;
    private readonly CancellationTokenRegistration _registration;
    private RateLimitLease _outcome;

    /// <summary>Begins to heed a token; before the wait begins, so that whoever ends the wait knows what to end with it.</summary>
    /// <param name="core">The gate.</param>
    /// <param name="lease">The lease to be: it flows with the context of the caller, who sets it before it is known what becomes of it.</param>
    /// <param name="token">Ends the wait.</param>
    public LeaseAnswer(GateCore<RealSync> core, TransactionLease lease, CancellationToken token)
    {
        _core = core;
        _outcome = lease;
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(static (state, cancelled) => ((LeaseAnswer)state!).EndWait(cancelled), this);
        }
    }

    /// <summary>What was decided; <see langword="null"/> before.</summary>
    public RateLimitLease? Outcome => _outcome is TransactionLease { HasBegun: false } ? null : _outcome;

    public override void Admit(LeaseKey<RealSync> lease) => ((TransactionLease)_outcome).Begin(lease);

    public override void Refuse(GateRefusal refusal) => _outcome = new RefusedLease(refusal);

    public override void Complete(CancellationToken cancelledBy = default)
    {
        Forget();
        if (Outcome is { } outcome)
        {
            SetResult(outcome);
        }
        else
        {
            SetCanceled(cancelledBy);
        }
    }

    // Not Dispose: that would wait for a callback which waits for the gate's lock.
    public void Forget() => _registration.Unregister();

    private void EndWait(CancellationToken token) => _core.CancelWait(this, token);
}
