using AdaptivePool.Admission;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Admission;

public sealed class GroupShareRuleTests
{
    [Theory]
    [InlineData(512, 16, 32)]
    [InlineData(64, 16, 4)]
    [InlineData(65, 16, 5)]
    [InlineData(1, 16, 1)]
    [InlineData(0, 16, int.MaxValue)]
    public void Share_IsTheLimitDividedAndRoundedUp(int limit, int groups, int share)
        => new GroupShareRule(Equal(groups), borrows: false).Share(limit, groups - 1).ShouldBe(share);

    [Fact]
    public void Next_WithoutBorrowing_SkipsGroupsAtTheirShare()
    {
        var rule = new GroupShareRule(Equal(2), borrows: false);
        rule.Next(4, [2, 1], [5, 1], first: 0).ShouldBe(1);
        rule.Next(4, [2, 1], [5, 0], first: 0).ShouldBe(-1);
    }

    [Fact]
    public void Next_WithBorrowing_LetsAFullGroupHaveWhatNobodyElseWants()
        => new GroupShareRule(Equal(2), borrows: true).Next(4, [3, 0], [5, 0], first: 1).ShouldBe(0);

    [Fact]
    public void Next_Equals_TakeTurns()
    {
        var rule = new GroupShareRule(Equal(3), borrows: true);
        rule.Next(9, [1, 1, 1], [1, 1, 1], first: 0).ShouldBe(0);
        rule.Next(9, [1, 1, 1], [1, 1, 1], first: 2).ShouldBe(2);
    }

    [Fact]
    public void Next_AnyState_GivesTheGroupThatHoldsLeastOfThoseThatWait() =>
        Prop.ForAll<(byte Held, byte Waiting)[], byte>((groups, first) =>
        {
            if (groups.Length == 0)
            {
                return;
            }

            int[] held = [.. groups.Select(static g => (int)g.Held)];
            int[] waiting = [.. groups.Select(static g => g.Waiting % 3)];
            int next = new GroupShareRule(Equal(groups.Length), borrows: true).Next(64, held, waiting, first % groups.Length);
            int[] candidates = [.. Enumerable.Range(0, held.Length).Where(g => waiting[g] > 0)];
            if (candidates.Length == 0)
            {
                next.ShouldBe(-1);
            }
            else
            {
                held[next].ShouldBe(candidates.Min(g => held[g]));
                waiting[next].ShouldBeGreaterThan(0);
            }
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(4, 0, 4, 0, 1)]
    [InlineData(4, 1, 3, 0, 1)]
    [InlineData(4, 2, 2, 0, -1)]
    [InlineData(4, 3, 1, 0, -1)]
    [InlineData(3, 1, 2, 0, -1)]
    [InlineData(0, 0, 0, 0, -1)]
    public void GivesPlace_GroupBelowItsShare_TheLongestGroupDoes(int places, int own, int other, int group, int longest) =>
        new GroupShareRule(Equal(2), borrows: true).GivesPlace(places, [own, other], group).ShouldBe(longest);

    [Theory]
    [InlineData(8, 3, 1, 6, 2)]
    [InlineData(10, 3, 1, 8, 3)]
    [InlineData(1, 1_000, 1, 1, 1)]
    [InlineData(1_000_000, 1_000, 1, 999_001, 1_000)]
    [InlineData(0, 3, 1, int.MaxValue, int.MaxValue)]
    public void Share_WithWeights_IsDividedByThem(int limit, int first, int second, int firstShare, int secondShare)
    {
        var rule = new GroupShareRule([first, second], borrows: false);
        (rule.Share(limit, 0), rule.Share(limit, 1)).ShouldBe((firstShare, secondShare));
    }

    [Theory]
    [InlineData(2, 1, 0)]
    [InlineData(3, 0, 1)]
    [InlineData(2, 2, 0)]
    [InlineData(0, 0, 0)]
    [InlineData(3, 1, 0)]
    [InlineData(4, 1, 1)]
    public void Next_WithWeights_GivesTheGroupThatHoldsLeastForItsWeight(int first, int second, int next) =>
        new GroupShareRule([3, 1], borrows: true).Next(8, [first, second], [1, 1], first: 0).ShouldBe(next);

    [Fact]
    public void Next_AnyWeights_NeverPassesOverAGroupBelowItsShareForOneThatHasIt() =>
        Prop.ForAll<(byte Weight, byte Held, bool Waits)[], byte>((groups, first) =>
        {
            if (groups.Length == 0)
            {
                return;
            }

            int[] weights = [.. groups.Select(static g => 1 + g.Weight)];
            int[] held = [.. groups.Select(static g => (int)g.Held)];
            int limit = held.Sum() + 1;
            long total = weights.Sum();
            int next = new GroupShareRule(weights, borrows: true).Next(limit, held, [.. groups.Select(static g => g.Waits ? 1 : 0)], first % groups.Length);
            if (next < 0)
            {
                groups.ShouldAllBe(static g => !g.Waits);
                return;
            }

            bool HasShare(int group) => held[group] * total >= (long)limit * weights[group];
            bool somebodyIsBelow = Enumerable.Range(0, groups.Length).Any(g => groups[g].Waits && !HasShare(g));
            HasShare(next).ShouldBe(!somebodyIsBelow);
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(8, 2, 6, 0, 1)]
    [InlineData(8, 5, 3, 0, 1)]
    [InlineData(8, 6, 2, 0, -1)]
    [InlineData(8, 7, 1, 1, 0)]
    [InlineData(8, 6, 2, 1, -1)]
    public void GivesPlace_WithWeights_KeepsPlacesByWeight(int places, int first, int second, int group, int longest) =>
        new GroupShareRule([3, 1], borrows: true).GivesPlace(places, [first, second], group).ShouldBe(longest);

    private static int[] Equal(int groups) => [.. Enumerable.Repeat(1, groups)];
}
