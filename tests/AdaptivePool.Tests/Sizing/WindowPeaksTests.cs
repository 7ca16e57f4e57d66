using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public sealed class WindowPeaksTests
{
    /// <summary>10 clients for 2 s; 10 are there in the first, 2 in the second, 40 requests end: of those that are away each stays for 0.2 s.</summary>
    [Theory]
    [InlineData(2, 40, 0.2)]
    [InlineData(10, 40, 0)]
    [InlineData(7, 40, 0)]
    [InlineData(2, 0, 0)]
    public void Gap_EachCase_IsThatOfLittlesLawOrNotKnown(int thereLater, double completions, double gap)
    {
        WindowPeaks peaks = new();
        peaks.Open(10);
        peaks.Observe(thereLater, TimeSpan.Zero, 1);
        peaks.Observe(thereLater, TimeSpan.Zero, 1);

        peaks.Gap(2, completions).ShouldBe(gap, 1e-9);
    }

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
