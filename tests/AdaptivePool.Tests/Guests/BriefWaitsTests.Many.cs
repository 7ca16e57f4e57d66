using System.Reflection;
using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>Looks at many classes, and what changes between two of them.</summary>
public sealed partial class BriefWaitsTests
{
    [Fact]
    public void LookIfDue_ManyClasses_EachRequestLooksAtSome()
    {
        const int Classes = 2 * BriefWaits.MostAtOnce;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxClasses = Classes });
        WorkClass[] classes = [.. Enumerable.Range(1, Classes - 1).Select(number => Create(pool, $"class {number}"))];
        Array.ForEach(classes, static workClass => Serve(workClass, 100, 0.5e-3));

        int requests = 0;
        for (int looked = 0; looked < classes.Length; requests++)
        {
            pool.BriefWaits.LookIfDue();
            int now = classes.Count(IsLookedAt);
            (now - looked).ShouldBeLessThanOrEqualTo(BriefWaits.MostAtOnce, "no request pays for all classes");
            looked = now;
        }

        requests.ShouldBe(2);
    }

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

    private static bool IsLookedAt(WorkClass workClass)
    {
        object brief = typeof(GuestClass).GetField("_brief", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(workClass.Guests)!;
        return !double.IsNaN(((BriefGuests)brief).Mean);
    }
}
