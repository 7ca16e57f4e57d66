namespace AdaptivePool.Admission;

/// <summary>
/// Why a <see cref="TransactionGate"/> refused, or a <see cref="WorkClass"/>: that knows <see cref="QueueFull"/> and <see cref="QueueTimeout"/> only.
/// </summary>
public enum RefusalReason
{
    /// <summary>The gate is full, and the caller asked not to wait.</summary>
    GateFull,

    /// <summary>As many wait as may wait (<see cref="TransactionGateOptions.QueueLimit"/>, <see cref="WorkClass.MaxQueued"/>).</summary>
    QueueFull,

    /// <summary>Waited for <see cref="TransactionGateOptions.QueueTimeout"/>, or longer than <see cref="WorkClass.MaxQueueTime"/>.</summary>
    QueueTimeout,

    /// <summary>Waited for <see cref="TransactionGateOptions.OverloadDelay"/> while the queue never became empty.</summary>
    Overload,

    /// <summary>The gate was disposed while the caller waited.</summary>
    Disposed,
}
