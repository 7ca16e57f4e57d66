using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class AdaptiveSearchTests
{
    [Theory]
    [InlineData(50, 0.5, 100)]
    [InlineData(50, 0.3, 167)]
    [InlineData(50, 0.01, 200)]
    [InlineData(50, 0.93, 50)]
    [InlineData(50, 1.0, 50)]
    [InlineData(50, 0.0, 50)]
    [InlineData(50, double.NaN, 50)]
    public void ModelSize_Utilisation_IsSizeOverUtilisationUpToFourTimes(int size, double utilisation, int expected)
        => AdaptiveSearch.ModelSize(size, utilisation, 0.93, 4).ShouldBe(expected);
}
