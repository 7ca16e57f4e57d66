using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class ProcessorListTests
{
    [Theory]
    [InlineData("0-3,8", new[] { 0, 1, 2, 3, 8 })]
    [InlineData("7", new[] { 7 })]
    [InlineData("", new int[0])]
    public void TryParse_List_IsRead(string text, int[] expected) => ProcessorList.TryParse(text).ShouldBe(expected);

    [Theory]
    [InlineData(null)]
    [InlineData("none")]
    [InlineData("3-1")]
    [InlineData("-1")]
    [InlineData("1-2-3")]
    [InlineData("0-99999999")]
    public void TryParse_NoList_IsNull(string? text) => ProcessorList.TryParse(text).ShouldBeNull();
}
