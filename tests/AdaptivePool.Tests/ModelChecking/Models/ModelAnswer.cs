using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The answer to one that waits at a gate under check: what became of it, and how often it was told.</summary>
internal sealed class ModelAnswer : GateAnswer<ModelSync>
{
    public LeaseKey<ModelSync> Key { get; private set; }

    public bool IsAdmitted => Key.Hold is not null;

    public RefusedLease? Refusal { get; private set; }

    public int Told { get; private set; }

    public bool IsCancelled => Told > 0 && !IsAdmitted && Refusal is null;

    public override void Admit(LeaseKey<ModelSync> lease)
    {
        ModelFailureException.Require(!IsAdmitted && Refusal is null, "decided twice");
        Key = lease;
    }

    public override void Refuse(RefusedLease refusal)
    {
        ModelFailureException.Require(!IsAdmitted && Refusal is null, "decided twice");
        Refusal = refusal;
    }

    public override void Complete(CancellationToken cancelledBy = default) => Told++;
}
