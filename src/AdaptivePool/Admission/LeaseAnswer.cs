using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>The answer to one that waits for a lease.</summary>
/// <param name="lease">The lease to be: it flows with the context of the caller, who sets it before it is known what becomes of it.</param>
internal class LeaseAnswer(TransactionLease lease) : GateAnswer<RealSync>
{
    private RateLimitLease _outcome = lease;

    /// <summary>What was decided; <see langword="null"/> before.</summary>
    public RateLimitLease? Outcome => _outcome is TransactionLease { Key.Hold: null } ? null : _outcome;

    public override void Admit(LeaseHold<RealSync> hold) => ((TransactionLease)_outcome).Key.Begin(hold);

    public override void Refuse(RefusedLease refusal)
    {
        // It may be in its caller's context already.
        ((TransactionLease)_outcome).Key.GiveUp();
        _outcome = refusal;
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
            ((TransactionLease)_outcome).Key.GiveUp();
            SetCanceled(cancelledBy);
        }
    }

    /// <summary>Heeds no token any more.</summary>
    public virtual void Forget()
    {
    }

    /// <summary>The answer to one whose wait a token can end: of a type of its own, because all others need not pay for it.</summary>
    internal sealed class Cancellable : LeaseAnswer
    {
        private readonly GateCore<RealSync> _core;
        private readonly CancellationTokenRegistration _registration;

        /// <summary>Begins to heed a token; before the wait begins, so that whoever ends the wait knows what to end with it.</summary>
        /// <param name="core">The gate.</param>
        /// <param name="lease">As in <see cref="LeaseAnswer"/>.</param>
        /// <param name="token">Ends the wait.</param>
        public Cancellable(GateCore<RealSync> core, TransactionLease lease, CancellationToken token)
            : base(lease)
        {
            _core = core;
            _registration = token.UnsafeRegister(static (state, cancelled) => ((Cancellable)state!).EndWait(cancelled), this);
        }

        // Not Dispose: that would wait for a callback which waits for the gate's lock.
        public override void Forget() => _registration.Unregister();

        private void EndWait(CancellationToken token) => _core.CancelWait(this, token);
    }
}
