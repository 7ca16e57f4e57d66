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
    public void Share_IsTheLimitDividedAndRoundedUp(int limit, int groups, int share) => new GroupShareRule(groups, borrows: false).Share(limit).ShouldBe(share);

    [Fact]
    public void Next_WithoutBorrowing_SkipsGroupsAtTheirShare()
    {
        var rule = new GroupShareRule(2, borrows: false);
        rule.Next(4, [2, 1], [5, 1], first: 0).ShouldBe(1);
        rule.Next(4, [2, 1], [5, 0], first: 0).ShouldBe(-1);
    }

    [Fact]
    public void Next_WithBorrowing_LetsAFullGroupHaveWhatNobodyElseWants() => new GroupShareRule(2, borrows: true).Next(4, [3, 0], [5, 0], first: 1).ShouldBe(0);

    [Fact]
    public void Next_Equals_TakeTurns()
    {
        var rule = new GroupShareRule(3, borrows: true);
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
            int next = new GroupShareRule(groups.Length, borrows: true).Next(64, held, waiting, first % groups.Length);
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
        new GroupShareRule(2, borrows: true).GivesPlace(places, [own, other], group).ShouldBe(longest);
}
