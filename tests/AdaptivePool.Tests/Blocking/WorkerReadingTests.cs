using AdaptivePool.Blocking;

namespace AdaptivePool.Tests.Blocking;

public sealed class WorkerReadingTests
{
    private readonly BlockerEntry _unnamed = new(null, "managed wait", null, "c");

    [Theory]
    [InlineData(2.5, 0)]
    [InlineData(0.5, 1)]
    public void EndUnnamedForSite_WaitThatNowHasAName_IsNotCountedTwice(double siteSeconds, int counted)
    {
        // Seen without a name from 8 s to 9 s; now it is 10 s.
        var reading = new WorkerReading { Unnamed = _unnamed, UnnamedSince = 8, UnnamedSeen = 9, SiteAge = TimeSpan.FromSeconds(siteSeconds) };
        reading.EndUnnamedForSite(10);
        reading.Unnamed.ShouldBeNull();
        _unnamed.Describe(0, TimeSpan.Zero, TimeSpan.Zero).Count.ShouldBe(counted, "a wait before the named one counts, the same one does not");
    }
}
