using AdaptivePool.Admission;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The answer to one that waits at a gate under check: what became of it, and how often it was told.</summary>
internal sealed class ModelAnswer : GateAnswer<ModelSync>
{
    public LeaseHold<ModelSync>? Hold { get; private set; }

    public bool IsAdmitted => Hold is not null;

    public RefusedLease? Refusal { get; private set; }

    public int Told { get; private set; }

    public bool IsCancelled => Told > 0 && !IsAdmitted && Refusal is null;

    public override void Admit(LeaseHold<ModelSync> hold)
    {
        ModelFailureException.Require(!IsAdmitted && Refusal is null, "decided twice");
        Hold = hold;
    }

    public override void Refuse(RefusedLease refusal)
    {
        ModelFailureException.Require(!IsAdmitted && Refusal is null, "decided twice");
        Refusal = refusal;
    }

    public override void Complete(CancellationToken cancelledBy = default) => Told++;
}
