using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class FleetShareRuleTests
{
    [Theory]
    [InlineData(64, new[] { 99, 99, 99, 99 }, new[] { 16, 16, 16, 16 })]
    [InlineData(64, new[] { 4, 99, 99, 99 }, new[] { 4, 20, 20, 20 })]
    [InlineData(64, new[] { 4, 99, 10, 99 }, new[] { 4, 25, 10, 25 })]
    [InlineData(64, new[] { 4, 8, 8, 4 }, new[] { 14, 18, 18, 14 })]
    [InlineData(2, new[] { 9, 9, 9, 9 }, new[] { 1, 1, 1, 1 })]
    [InlineData(64, new[] { 0 }, new[] { 64 })]
    public void Divide_IsMaxMinFair(int total, int[] wanted, int[] shares) => FleetShareRule.Divide(total, wanted, lowest: 1, turn: 0).ShouldBe(shares);

    [Fact]
    public void Divide_WhatCannotBeDivided_GoesInTurns()
    {
        int[] sum = new int[3];
        for (int turn = 0; turn < 3; turn++)
        {
            int[] shares = FleetShareRule.Divide(8, [9, 9, 9], lowest: 1, turn);
            shares.Sum().ShouldBe(8);
            sum = [.. sum.Zip(shares, static (a, b) => a + b)];
        }

        sum.ShouldBe([8, 8, 8]);
    }

    [Fact]
    public void Divide_Anything_SumsUpToTheTotalAndLeavesNobodyBelowTheLeast()
    {
        Random random = new(1);
        for (int i = 0; i < 2_000; i++)
        {
            int[] wanted = [.. Enumerable.Range(0, random.Next(1, 12)).Select(_ => random.Next(0, 60))];
            int lowest = random.Next(1, 4);
            int total = random.Next(1, 200);
            int[] shares = FleetShareRule.Divide(total, wanted, lowest, random.Next());
            shares.Sum().ShouldBe(Math.Max(total, wanted.Length * lowest));
            shares.Min().ShouldBeGreaterThanOrEqualTo(lowest);

            // Nobody who wants more has less than another, but for the one that cannot be divided.
            for (int a = 0; a < wanted.Length; a++)
            {
                if (shares[a] < wanted[a])
                {
                    shares.Max().ShouldBeLessThanOrEqualTo(Math.Max(shares[a] + 1, lowest));
                }
            }
        }
    }
}
