using System.Threading.RateLimiting;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>The answer to one that waits for a lease.</summary>
/// <param name="lease">The lease to be: it flows with the context of the caller, who sets it before it is known what becomes of it.</param>
internal class LeaseAnswer(TransactionLease lease) : GateAnswer<RealSync>
{
    private RateLimitLease _outcome = lease;

    /// <summary>What was decided; <see langword="null"/> before.</summary>
    public RateLimitLease? Outcome => _outcome is TransactionLease { HasBegun: false } ? null : _outcome;

    public override void Admit(LeaseKey<RealSync> lease) => ((TransactionLease)_outcome).Begin(lease);

    public override void Refuse(GateRefusal refusal)
    {
        // It may be in its caller's context already.
        ((TransactionLease)_outcome).GiveUp();
        _outcome = new RefusedLease(refusal);
    }

    public override void Complete(CancellationToken cancelledBy = default)
    {
        Forget();
        if (Outcome is { } outcome)
        {
            SetResult(outcome);
        }
        else
        {
            ((TransactionLease)_outcome).GiveUp();
            SetCanceled(cancelledBy);
        }
    }

    /// <summary>Heeds no token any more.</summary>
    public virtual void Forget()
    {
    }
}
