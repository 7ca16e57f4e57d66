namespace AdaptivePool.Admission;

/// <summary>
/// Why a <see cref="TransactionGate"/> or a <see cref="WorkClass"/> refused. A work class uses only <see cref="QueueFull"/> and <see cref="QueueTimeout"/>.
/// </summary>
public enum RefusalReason
{
    /// <summary>The gate is full, and the caller requested not to wait.</summary>
    GateFull,

    /// <summary>The maximum number already waits (<see cref="TransactionGateOptions.QueueLimit"/>, <see cref="WorkClass.MaxQueued"/>).</summary>
    QueueFull,

    /// <summary>
    /// The request waited for <see cref="TransactionGateOptions.QueueTimeout"/>, or the item waited longer than <see cref="WorkClass.MaxQueueTime"/>.
    /// </summary>
    QueueTimeout,

    /// <summary>The request waited for <see cref="TransactionGateOptions.OverloadDelay"/>, and the queue never became empty.</summary>
    Overload,

    /// <summary>The gate was disposed while the caller waited.</summary>
    Disposed,
}
