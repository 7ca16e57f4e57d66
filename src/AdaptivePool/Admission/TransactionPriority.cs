namespace AdaptivePool.Admission;

/// <summary>Order among those that wait at a <see cref="TransactionGate"/>. The first three have the values of <see cref="WorkPriority"/>.</summary>
public enum TransactionPriority
{
    /// <summary>After everything else, until it has waited for <see cref="TransactionGateOptions.KickUpAfter"/>.</summary>
    Low = WorkPriority.Low,

    /// <summary>The default.</summary>
    Normal = WorkPriority.Normal,

    /// <summary>Before normal and low.</summary>
    High = WorkPriority.High,

    /// <summary>Never waits, enters a full gate, takes no permit, and is counted apart. Meant for whoever mends what blocks the gate.</summary>
    Admin,
}
