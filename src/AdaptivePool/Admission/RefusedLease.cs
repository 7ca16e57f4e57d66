using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>A refusal: its reason, and when to try again.</summary>
/// <param name="reason">The reason.</param>
/// <param name="retryAfter">The time after which it makes sense to try again; <see langword="null"/> if it never does.</param>
internal sealed class RefusedLease(RefusalReason reason, TimeSpan? retryAfter) : RateLimitLease
{
    /// <summary>Why the gate refused.</summary>
    public RefusalReason Reason => reason;

    public override bool IsAcquired => false;

    public override IEnumerable<string> MetadataNames =>
        [MetadataName.ReasonPhrase.Name, TransactionGate.ReasonMetadata.Name, .. retryAfter is null ? Array.Empty<string>() : [MetadataName.RetryAfter.Name]];

    public override bool TryGetMetadata(string metadataName, out object? metadata)
    {
        metadata = metadataName == MetadataName.RetryAfter.Name ? retryAfter
            : metadataName == TransactionGate.ReasonMetadata.Name ? reason
            : metadataName == MetadataName.ReasonPhrase.Name ? Phrase()
            : null;
        return metadata is not null;
    }

    private string Phrase() => reason switch
    {
        RefusalReason.GateFull => "The transaction gate is full.",
        RefusalReason.QueueFull => "Too many transactions wait at the gate.",
        RefusalReason.QueueTimeout => "The transaction gate did not open in time.",
        RefusalReason.Overload => "The transaction gate is overloaded.",
        _ => "The transaction gate was closed.",
    };
}
