using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class SizeBracketTests
{
    private const bool Midpoint = false;

    [Fact]
    public void Place_NothingKnown_GoesWhereItIsWanted()
    {
        var bracket = new SizeBracket();
        bracket.Place(72, 82, 1, 1000, Midpoint).ShouldBe(82);
        bracket.Place(72, 30.4, 1, 1000, Midpoint).ShouldBe(30);
    }

    [Fact]
    public void Place_PastAKnownBound_GoesToTheMiddle()
    {
        var bracket = new SizeBracket();
        bracket.Rise(40);
        bracket.Fall(60);
        bracket.Place(40, 80, 1, 1000, Midpoint).ShouldBe(50);
        bracket.Place(60, 20, 1, 1000, Midpoint).ShouldBe(50);
        bracket.Place(60, 40, 1, 1000, Midpoint).ShouldBe(50, "the bound itself is known already");
    }

    [Fact]
    public void Place_BetweenNeighbours_DoesNotStandStill()
    {
        var bracket = new SizeBracket();
        bracket.Rise(40);
        bracket.Fall(41);
        bracket.Place(40, 50, 1, 1000, Midpoint).ShouldBe(41);
        bracket.Place(41, 30, 1, 1000, Midpoint).ShouldBe(40);
    }

    [Fact]
    public void Place_PastTheBoundsOfThePool_StaysInside()
    {
        var bracket = new SizeBracket();
        bracket.Place(95, 105, 1, 100, Midpoint).ShouldBe(51);
        bracket.Rise(95);
        bracket.Place(95, 105, 1, 100, Midpoint).ShouldBe(98);
        bracket.Place(4, -6, 2, 100, true).ShouldBe(2);
    }

    [Fact]
    public void Place_ForgetBound_JumpsInFullAndForgets()
    {
        var bracket = new SizeBracket();
        bracket.Rise(40);
        bracket.Fall(60);
        bracket.Place(45, 80, 1, 1000, true).ShouldBe(80);
        bracket.Upper(1000).ShouldBe(1000);
        bracket.Lower(1).ShouldBe(40);
        bracket.Place(45, 20, 1, 1000, true).ShouldBe(20);
        bracket.Lower(1).ShouldBe(1);
    }

    [Fact]
    public void IsNarrow_CloserThanEps_IsTrue()
    {
        var bracket = new SizeBracket();
        bracket.IsNarrow(5, 1, 1000).ShouldBeFalse();
        bracket.Rise(40);
        bracket.Fall(45);
        bracket.IsNarrow(5, 1, 1000).ShouldBeFalse();
        bracket.Fall(44);
        bracket.IsNarrow(5, 1, 1000).ShouldBeTrue();
        new SizeBracket().IsNarrow(5, 8, 10).ShouldBeTrue("the pool itself has no more room");
    }

    [Fact]
    public void Rise_OverTheUpperBound_MovesThatToo()
    {
        var bracket = new SizeBracket();
        bracket.Fall(40);
        bracket.Rise(60);
        (bracket.Lower(1), bracket.Upper(1000)).ShouldBe((60, 60));
        bracket.Fall(30);
        (bracket.Lower(1), bracket.Upper(1000)).ShouldBe((30, 30));
        bracket.Clear();
        (bracket.Lower(1), bracket.Upper(1000)).ShouldBe((1, 1000));
    }
}
