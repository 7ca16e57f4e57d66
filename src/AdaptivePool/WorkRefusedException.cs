using AdaptivePool.Admission;

namespace AdaptivePool;

/// <summary>
/// A work class did not run an item: as many waited already as may wait (<see cref="WorkClass.MaxQueued"/>), or the item waited too long
/// (<see cref="WorkClass.MaxQueueTime"/>). Nothing of the item has run, so it may be queued again.
/// </summary>
public sealed class WorkRefusedException : Exception
{
    /// <summary>A refusal.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="reason"><see cref="RefusalReason.QueueFull"/> or <see cref="RefusalReason.QueueTimeout"/>.</param>
    /// <param name="retryAfter">When coming again makes sense.</param>
    public WorkRefusedException(string message, RefusalReason reason, TimeSpan retryAfter)
        : base(message)
    {
        Reason = reason;
        RetryAfter = retryAfter;
    }

    /// <summary>Why: <see cref="RefusalReason.QueueFull"/> or <see cref="RefusalReason.QueueTimeout"/>.</summary>
    public RefusalReason Reason { get; }

    /// <summary>
    /// When coming again makes sense: when those that wait will have started, as fast as items of the class started lately. 0.1 s to 60 s; 0.1 s while nothing
    /// is known.
    /// </summary>
    public TimeSpan RetryAfter { get; }
}
