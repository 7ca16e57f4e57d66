using AdaptivePool.Workers;

namespace AdaptivePool.Tests.Workers;

public sealed class TurnRuleTests
{
    /// <summary>The whole rhythm.</summary>
    private const uint Cycle = TurnRule.OldestEvery;

    [Theory]
    [InlineData((int)FirstLook.Root, TurnRule.RootEvery)]
    [InlineData((int)FirstLook.Fair, TurnRule.FairEvery)]
    [InlineData((int)FirstLook.Shared, TurnRule.SharedEvery)]
    [InlineData((int)FirstLook.Others, TurnRule.OthersEvery)]
    [InlineData((int)FirstLook.Oldest, TurnRule.OldestEvery)]
    public void First_EachQueue_ComesOnceInSoMany(int look, int every)
    {
        uint[] turns = [.. Enumerable.Range(0, (int)(2 * Cycle)).Select(static i => (uint)i).Where(turn => TurnRule.First(turn) == (FirstLook)look)];

        turns.Length.ShouldBe((int)(2 * Cycle) / every);
        turns.Zip(turns.Skip(1), static (turn, next) => (int)(next - turn)).ShouldAllBe(distance => distance == every);
    }

    [Fact]
    public void First_MostTurns_AreTheOwnDeques() => Enumerable.Range(0, (int)Cycle).Count(static turn => TurnRule.First((uint)turn) == FirstLook.Newest).ShouldBe(375);

    [Fact]
    public void First_WhenTheNumberOverflows_KeepsItsRhythm() => TurnRule.First(unchecked(uint.MaxValue + 1)).ShouldBe(FirstLook.Root);
}
