using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class TurnRuleTests
{
    /// <summary>The whole rhythm.</summary>
    private const uint Cycle = TurnRule.OldestEvery;

    [Theory]
    [InlineData((int)FirstLook.Root, TurnRule.RootEvery)]
    [InlineData((int)FirstLook.Fair, TurnRule.FairEvery)]
    [InlineData((int)FirstLook.Shared, TurnRule.RootEvery)]
    [InlineData((int)FirstLook.Others, TurnRule.OthersEvery)]
    [InlineData((int)FirstLook.Oldest, TurnRule.OldestEvery)]
    [InlineData((int)FirstLook.Root, TurnRule.RootEvery, true)]
    [InlineData((int)FirstLook.Others, TurnRule.OthersEvery, true)]
    [InlineData((int)FirstLook.Oldest, TurnRule.OldestEveryLong, true)]
    public void First_EachQueue_ComesOnceInSoMany(int look, int every, bool hasLongItems = false)
    {
        uint[] turns = [.. Enumerable.Range(0, (int)(2 * Cycle)).Select(static i => (uint)i)
            .Where(turn => TurnRule.First(turn, hasLongItems) == (FirstLook)look)];

        turns.Length.ShouldBe((int)(2 * Cycle) / every);
        turns.Zip(turns.Skip(1), static (turn, next) => (int)(next - turn)).ShouldAllBe(distance => distance == every);
    }

    [Theory]
    [InlineData(false, 3_007)]
    [InlineData(true, 3_000)]
    public void First_MostTurns_AreTheOwnDeques(bool hasLongItems, int expected) =>
        Enumerable.Range(0, (int)Cycle).Count(turn => TurnRule.First((uint)turn, hasLongItems) == FirstLook.Newest).ShouldBe(expected);

    [Fact]
    public void First_WhenTheNumberOverflows_KeepsItsRhythm() => TurnRule.First(unchecked(uint.MaxValue + 1), hasLongItems: false).ShouldBe(FirstLook.Root);
}
