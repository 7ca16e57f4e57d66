using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>The answer to a caller that waits for a lease.</summary>
/// <param name="lease">The future lease. It flows with the context of the caller, and is set there before the decision is known.</param>
internal class LeaseAnswer(TransactionLease lease) : GateAnswer<RealSync>
{
    private RateLimitLease _outcome = lease;

    /// <summary>What was decided; <see langword="null"/> before.</summary>
    public RateLimitLease? Outcome => _outcome is TransactionLease { Key.Hold: null } ? null : _outcome;

    public override void Admit(LeaseHold<RealSync> hold) => ((TransactionLease)_outcome).Key.Begin(hold);

    public override void Refuse(RefusedLease refusal)
    {
        // The lease may be in the context of its caller already.
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

    /// <summary>Stops reacting to the token.</summary>
    public virtual void Forget()
    {
    }

    /// <summary>The answer to a caller whose wait a token can end. It has a type of its own, so that the other answers do not pay for it.</summary>
    internal sealed class Cancellable : LeaseAnswer
    {
        private readonly GateCore<RealSync> _core;
        private readonly CancellationTokenRegistration _registration;

        /// <summary>
        /// Registers for the token. This happens before the wait begins, so that the code that ends the wait can end the registration with it.
        /// </summary>
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
        public override void Forget() => RealSync.Unregister(_registration);

        private void EndWait(CancellationToken token) => _core.CancelWait(this, token);
    }
}
