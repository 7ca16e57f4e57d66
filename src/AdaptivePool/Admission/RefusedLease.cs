using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>A refusal: why, and when to come again.</summary>
internal sealed class RefusedLease(GateRefusal refusal) : RateLimitLease
{
    public override bool IsAcquired => false;

    public override IEnumerable<string> MetadataNames => refusal.RetryAfter is null
        ? [MetadataName.ReasonPhrase.Name, TransactionGate.ReasonMetadata.Name]
        : [MetadataName.ReasonPhrase.Name, TransactionGate.ReasonMetadata.Name, MetadataName.RetryAfter.Name];

    public override bool TryGetMetadata(string metadataName, out object? metadata)
    {
        metadata = metadataName == MetadataName.RetryAfter.Name ? refusal.RetryAfter
            : metadataName == TransactionGate.ReasonMetadata.Name ? refusal.Reason
            : metadataName == MetadataName.ReasonPhrase.Name ? Phrase()
            : null;
        return metadata is not null;
    }

    private string Phrase() => refusal.Reason switch
    {
        RefusalReason.Full => "The transaction gate is full.",
        RefusalReason.QueueFull => "Too many transactions wait at the gate.",
        RefusalReason.QueueTimeout => "The transaction gate did not open in time.",
        RefusalReason.Overload => "The transaction gate is overloaded.",
        _ => "The transaction gate was closed.",
    };
}
