namespace AdaptivePool.Admission;

/// <summary>The order of the requests that wait at a <see cref="TransactionGate"/>. The first three have the values of <see cref="WorkPriority"/>.</summary>
public enum TransactionPriority
{
    /// <summary>After all other requests, until the request has waited for <see cref="TransactionGateOptions.KickUpAfter"/>.</summary>
    Low = WorkPriority.Low,

    /// <summary>The default.</summary>
    Normal = WorkPriority.Normal,

    /// <summary>Before normal and low requests.</summary>
    High = WorkPriority.High,

    /// <summary>
    /// Never waits: it enters a full gate, takes no permit, and is counted separately. For administrators who repair the cause of a blocked gate.
    /// </summary>
    Admin,
}
