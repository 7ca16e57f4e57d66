using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public sealed class WindowPeaksTests
{
    /// <summary>10 clients for 2 s; 6 of them are there on average, 40 requests end: each of the 4 that are away stays for 0.2 s.</summary>
    [Theory]
    [InlineData(10, 12, 40, 0.2)]
    [InlineData(10, 20, 40, 0)]
    [InlineData(10, 17, 40, 0)]
    [InlineData(10, 12, 0, 0)]
    public void Gap_EachCase_IsThatOfLittlesLawOrNotKnown(double connections, double connectionSeconds, double completions, double gap)
        => WindowPeaks.Gap(connections, 2, connectionSeconds, completions).ShouldBe(gap, 1e-9);

    [Fact]
    public void Observe_MoreAndLessThanAtTheEnd_TheMostOfEach()
    {
        WindowPeaks peaks = new();
        peaks.Observe(50, TimeSpan.FromSeconds(5), 0.1);
        peaks.Open(4);

        peaks.Observe(9, TimeSpan.FromSeconds(0.2), 0.1);
        peaks.Observe(3, TimeSpan.FromSeconds(0.1), 0.1);

        peaks.Connections.ShouldBe(9);
        peaks.LongestWait.ShouldBe(TimeSpan.FromSeconds(0.2));
    }
}
