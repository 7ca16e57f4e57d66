namespace AdaptivePool.Balancing.Tests;

public sealed class OverloadPointTests
{
    /// <summary>The document's examples. It prints "to 1000" for 12,000, which equation 1 makes 11,000: "by 1000" must be meant.</summary>
    [Theory]
    [InlineData(1200, 1000, 1100)]
    [InlineData(12000, 10000, 11000)]
    [InlineData(500, 100, 490)]
    [InlineData(490, 100, 480)]
    [InlineData(1000, 1000, 900)]
    [InlineData(900, 100, 890)]
    [InlineData(999, 100, 989)]
    [InlineData(1, 1, 0.9)]
    [InlineData(1e9, 1e9, 0.9e9)]
    public void AdmittedPerSecond_Each_IsATenthOfThePlacementLower(double point, double placement, double admitted)
    {
        OverloadPoint it = new(point);
        it.Placement.ShouldBe(placement, placement * 1e-9);
        it.AdmittedPerSecond.ShouldBe(admitted, admitted * 1e-9);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(1.1e9)]
    public void Constructor_Impossible_Throws(double point)
    {
        OverloadPoint.IsPossible(point).ShouldBeFalse();
        Should.Throw<ArgumentOutOfRangeException>(() => new OverloadPoint(point)).ActualValue.ShouldBe(point);
    }
}
