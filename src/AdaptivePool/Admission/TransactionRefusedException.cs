using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>A <see cref="TransactionGate"/> refused where only an exception can say so.</summary>
public sealed class TransactionRefusedException : Exception
{
    /// <summary>A refusal.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="reason">Why the gate refused.</param>
    /// <param name="retryAfter">When coming again makes sense; <see langword="null"/> when never.</param>
    public TransactionRefusedException(string message, RefusalReason reason, TimeSpan? retryAfter)
        : base(message)
    {
        Reason = reason;
        RetryAfter = retryAfter;
    }

    /// <summary>Why the gate refused.</summary>
    public RefusalReason Reason { get; }

    /// <summary>When coming again makes sense; <see langword="null"/> when never.</summary>
    public TimeSpan? RetryAfter { get; }

    /// <summary>The exception for a refusal of a gate.</summary>
    /// <param name="gate">The gate.</param>
    /// <param name="refusal">What it answered.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static TransactionRefusedException From(TransactionGate gate, RateLimitLease refusal)
    {
        ArgumentNullException.ThrowIfNull(gate);
        ArgumentNullException.ThrowIfNull(refusal);
        refusal.TryGetMetadata(TransactionGate.ReasonMetadata, out RefusalReason reason);
        refusal.TryGetMetadata(MetadataName.ReasonPhrase, out string? phrase);
        bool comesAgain = refusal.TryGetMetadata(MetadataName.RetryAfter, out TimeSpan retryAfter);
        return new TransactionRefusedException($"Gate '{gate.Name}': {phrase}", reason, comesAgain ? retryAfter : null);
    }
}
