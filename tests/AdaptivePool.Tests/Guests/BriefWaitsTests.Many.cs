using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>Looks at many classes, and what changes between two of them.</summary>
public sealed partial class BriefWaitsTests
{
    [Fact]
    public void TakeIn_ClassThatWaitsBrieflyLosesItsGuests_ThoseSinceTheLookAreNoOthers()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass one = Begin(pool);
        WorkClass two = Begin(pool, "two");
        for (int i = 0; i < BriefWaitRule.FewestRequests; i++)
        {
            Guest(one);
            Guest(two);
        }

        one.Guests!.TakeIn(TrustChange.Long);
        Look(pool, Full);
        MayRun(two).ShouldBeTrue("the guests of the other class were as brief as its own");
    }
}
