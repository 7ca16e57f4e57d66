using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class RequestGapTests
{
    /// <summary>10 clients for 2 s; 6 of them are there on average, 40 requests end: each of the 4 that are away stays for 0.2 s.</summary>
    [Theory]
    [InlineData(10, 12, 40, 0.2)]
    [InlineData(10, 20, 40, 0)]
    [InlineData(10, 17, 40, 0)]
    [InlineData(10, 12, 0, 0)]
    public void Seconds_EachCase_IsThatOfLittlesLawOrNotKnown(double connections, double connectionSeconds, double completions, double gap)
        => RequestGap.Seconds(connections, 2, connectionSeconds, completions).ShouldBe(gap, 1e-9);
}
