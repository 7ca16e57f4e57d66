using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class KeptSizeTests
{
    private readonly KeptSize _kept = new(4);

    [Fact]
    public void Create_Start_IsNeitherMeasuredNorProven()
    {
        (_kept.Size, _kept.Rate, _kept.Service, _kept.IsProven).ShouldBe((4, double.NaN, double.NaN, false));
    }

    [Fact]
    public void Prove_Measured_StaysProvenWhenAnotherSizeIsSet()
    {
        _kept.Prove(8, 1_000, 0.008);
        (_kept.Size, _kept.Rate, _kept.Service, _kept.IsProven).ShouldBe((8, 1_000, 0.008, true));

        _kept.IsMeasured.ShouldBeTrue();

        _kept.Set(16);

        (_kept.Size, _kept.Rate, _kept.Service, _kept.IsProven).ShouldBe((16, double.NaN, double.NaN, true));
        _kept.IsMeasured.ShouldBeFalse();
    }

    [Fact]
    public void Remeasure_OfTheSameSize_FollowsByAFifth()
    {
        _kept.Remeasure(1_000);
        _kept.Rate.ShouldBe(1_000);
        _kept.IsProven.ShouldBeFalse();
        _kept.IsMeasured.ShouldBeFalse();

        _kept.Remeasure(2_000);

        _kept.Rate.ShouldBe(1_200, 0.1);
    }

    [Fact]
    public void Keep_AnotherSize_IsNotVerified()
    {
        _kept.Keep(4, 1_000, 0.004);
        _kept.IsVerified = true;

        _kept.Keep(4, 1_100, 0.004);
        _kept.IsVerified.ShouldBeTrue();

        _kept.Keep(8, 2_000, 0.004);
        _kept.IsVerified.ShouldBeFalse();
        _kept.IsVerified = true;

        _kept.Set(8);
        _kept.IsVerified.ShouldBeFalse();
    }
}
