using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>The answer to one whose wait a token can end: of a type of its own, because all others need not pay for it.</summary>
internal sealed class CancellableLeaseAnswer : LeaseAnswer
{
    private readonly GateCore<RealSync> _core;
    private readonly CancellationTokenRegistration _registration;

    /// <summary>Begins to heed a token; before the wait begins, so that whoever ends the wait knows what to end with it.</summary>
    /// <param name="core">The gate.</param>
    /// <param name="lease">As in <see cref="LeaseAnswer"/>.</param>
    /// <param name="token">Ends the wait.</param>
    public CancellableLeaseAnswer(GateCore<RealSync> core, TransactionLease lease, CancellationToken token)
        : base(lease)
    {
        _core = core;
        _registration = token.UnsafeRegister(static (state, cancelled) => ((CancellableLeaseAnswer)state!).EndWait(cancelled), this);
    }

    // Not Dispose: that would wait for a callback which waits for the gate's lock.
    public override void Forget() => _registration.Unregister();

    private void EndWait(CancellationToken token) => _core.CancelWait(this, token);
}
