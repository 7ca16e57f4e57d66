using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>A lease of no permits: it says that one was free, and holds none.</summary>
internal sealed class EmptyLease : RateLimitLease
{
    /// <summary>The only one.</summary>
    public static EmptyLease Instance { get; } = new();

    public override bool IsAcquired => true;

    public override IEnumerable<string> MetadataNames => [];

    public override bool TryGetMetadata(string metadataName, out object? metadata)
    {
        metadata = null;
        return false;
    }
}
