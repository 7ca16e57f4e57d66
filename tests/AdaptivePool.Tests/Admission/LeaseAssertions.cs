using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>What became of a request.</summary>
internal static class LeaseAssertions
{
    /// <summary>The lease of a wait that must have been let in already.</summary>
    public static TransactionLease Granted(this Task<RateLimitLease> wait)
    {
        wait.IsCompletedSuccessfully.ShouldBeTrue();
        return wait.Result.ShouldBeOfType<TransactionLease>();
    }

    /// <summary>The reason of a wait that must have been refused already.</summary>
    public static RefusalReason Refused(this Task<RateLimitLease> wait)
    {
        wait.IsCompletedSuccessfully.ShouldBeTrue();
        return wait.Result.Reason();
    }

    public static RefusalReason Reason(this RateLimitLease lease)
    {
        lease.IsAcquired.ShouldBeFalse();
        lease.TryGetMetadata(TransactionGate.ReasonMetadata, out RefusalReason reason).ShouldBeTrue();
        return reason;
    }
}
