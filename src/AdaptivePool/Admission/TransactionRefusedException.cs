using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>The exception for a refusal of a <see cref="TransactionGate"/>, where only an exception can report it.</summary>
public sealed class TransactionRefusedException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">A description of what happened.</param>
    /// <param name="reason">Why the gate refused.</param>
    /// <param name="retryAfter">The time after which it makes sense to try again; <see langword="null"/> if it never does.</param>
    public TransactionRefusedException(string message, RefusalReason reason, TimeSpan? retryAfter)
        : base(message)
    {
        Reason = reason;
        RetryAfter = retryAfter;
    }

    /// <summary>Why the gate refused.</summary>
    public RefusalReason Reason { get; }

    /// <summary>The time after which it makes sense to try again; <see langword="null"/> if it never does.</summary>
    public TimeSpan? RetryAfter { get; }

    /// <summary>Creates the exception for a refusal of a gate.</summary>
    /// <param name="gate">The gate.</param>
    /// <param name="refusal">The lease that the gate returned.</param>
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
