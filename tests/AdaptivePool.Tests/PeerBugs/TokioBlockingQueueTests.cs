using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// Tokio 1.52.0 hung: its queue for blocking work had been split into shards, and of two notifications that met one was lost, so an item stayed although a
/// thread waited. Taken back in 1.52.1. https://github.com/tokio-rs/tokio/issues/8056.
/// </summary>
public sealed class TokioBlockingQueueTests : PeerBugTest
{
    [Fact]
    public void TwoNotificationsThatBecomeOne_LeaveAnItem() => RequireFoundAndCured(BrokenAlgorithms.LostNotification);

    [Fact]
    public void OurPermit_TwoWakersAtOnce_IsEnough() => RequireRight("futex: two wakers");

    [Fact]
    public void OurToken_TakenByAnother_IsLookedAfter() => RequireFoundInOurs("wake: going idle", "EnsureWorker", OperationKind.Fence, Weakening.Removed);
}
