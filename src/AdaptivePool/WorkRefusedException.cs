using AdaptivePool.Admission;

namespace AdaptivePool;

/// <summary>
/// The exception for an item that a work class did not run, because too many items waited already (<see cref="WorkClass.MaxQueued"/>) or the item waited too
/// long (<see cref="WorkClass.MaxQueueTime"/>). No part of the item has run, so it may be queued again.
/// </summary>
public sealed class WorkRefusedException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">A description of what happened.</param>
    /// <param name="reason"><see cref="RefusalReason.QueueFull"/> or <see cref="RefusalReason.QueueTimeout"/>.</param>
    /// <param name="retryAfter">The time after which it makes sense to try again.</param>
    public WorkRefusedException(string message, RefusalReason reason, TimeSpan retryAfter)
        : base(message)
    {
        Reason = reason;
        RetryAfter = retryAfter;
    }

    /// <summary>The reason: <see cref="RefusalReason.QueueFull"/> or <see cref="RefusalReason.QueueTimeout"/>.</summary>
    public RefusalReason Reason { get; }

    /// <summary>
    /// The time after which it makes sense to try again: until then the waiting items should have started, at the rate at which items of the class started
    /// recently. 0.1 s to 60 s; 0.1 s while no rate is known.
    /// </summary>
    public TimeSpan RetryAfter { get; }
}
