using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class KeptSizeTests
{
    private readonly ScriptedVerifier _verifier = new();
    private readonly KeptSize _kept;

    public KeptSizeTests() => _kept = new(4, _verifier);

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
    public void IsVerified_WhoeverKnowsIsAsked_UntilASizeIsSet()
    {
        _kept.Prove(4, 1_000);
        _kept.IsVerified.ShouldBeFalse();
        _verifier.VerifiedSize = 4;
        _kept.IsVerified.ShouldBeTrue();

        _kept.Prove(8, 2_000);
        _kept.IsVerified.ShouldBeFalse();
        _kept.Prove(4, 1_000);
        _kept.IsVerified.ShouldBeTrue();

        _kept.Set(4);
        _kept.IsVerified.ShouldBeFalse();
        _verifier.VerifiedSize.ShouldBe(0);
        new KeptSize(4).IsVerified.ShouldBeFalse();
    }
}
