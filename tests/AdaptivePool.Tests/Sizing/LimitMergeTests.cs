using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class LimitMergeTests
{
    [Fact]
    public void Merge_EnoughForAll_EachGetsWhatItWants() =>
        Merge([8, 600], [1_000, 1_000], [false, false], 2, 1_000).ShouldBe([8, 600]);

    [Fact]
    public void Merge_TooMuch_SmallClassKeepsItsLimit() =>
        Merge([8, 600, 600], [1_000, 1_000, 1_000], [false, false, false], 2, 408).ShouldBe([8, 200, 200]);

    /// <summary>A limit that went from class to class could be measured in none of them.</summary>
    [Fact]
    public void Merge_WhatCannotBeDivided_StaysWithTheFirst()
    {
        var merge = new LimitMerge();
        int[] limits = new int[3];
        for (int look = 0; look < 3; look++)
        {
            merge.Merge([new(100, 100), new(100, 100), new(100, 100)], 3, 4, limits);
            limits.ShouldBe([2, 1, 1]);
        }
    }

    [Fact]
    public void Merge_IdleClass_KeepsItsLimitAndHoldsNothing() =>
        Merge([600, 600], [0, 1_000], [false, false], 2, 600).ShouldBe([600, 600]);

    [Fact]
    public void Merge_ManyIdleClasses_TheBusyOneHasAllThreads() =>
        Merge([.. Enumerable.Repeat(2, 300), 600], [.. new int[300], 1_000], new bool[301], 2, 32)[300].ShouldBe(32);

    [Theory]
    [InlineData(3, false)]
    [InlineData(4, true)]
    public void Merge_ClassesWithWork_TakeTurnsOnceThereAreMoreThanThreads(int busy, bool expected)
    {
        int[] demands = [.. Enumerable.Repeat(9, busy), 0, 0, 0];
        new LimitMerge().Merge(Claims(new int[demands.Length], demands, new bool[demands.Length]), 3, 3, new int[demands.Length]).ShouldBe(expected);
    }

    [Fact]
    public void Merge_Hogs_ShareCoresPlusOne()
    {
        int[] limits = Merge([5, 5, 5, 300], [9, 9, 9, 300], [true, true, true, false], 4, 1_000);

        limits[..3].Sum().ShouldBe(5);
        limits[..3].ShouldAllBe(static l => l >= 1);
        limits[3].ShouldBe(300);
    }

    [Fact]
    public void Merge_IdleHogs_TakeNothingOfTheBudget() =>
        Merge([2, 2, 2], [0, 0, 16], [true, true, true], 2, 1_000)[2].ShouldBe(2);

    [Fact]
    public void Merge_SingleHog_CoresPlusOne() => Merge([50], [50], [true], 2, 1_000).ShouldBe([3]);

    [Fact]
    public void Merge_MoreClassesThanThreads_OneEach() =>
        Merge([4, 4, 4, 4], [9, 9, 9, 9], [false, false, true, true], 1, 2).ShouldBe([1, 1, 1, 1]);

    [Fact]
    public void Merge_NoClasses_Nothing() => Merge([], [], [], 2, 10).ShouldBeEmpty();

    [Fact]
    public void Merge_ZeroOrNegative_OneEach() => Merge([0, -3], [0, 0], [false, false], 2, 10).ShouldBe([1, 1]);

    [Fact]
    public void Merge_MaximumOfInt_DoesNotOverflow() =>
        Merge([int.MaxValue, int.MaxValue], [int.MaxValue, int.MaxValue], [false, false], 2, 1_000).ShouldBe([500, 500]);

    [Fact]
    public void Merge_NoRoomForTheLimits_Throws() =>
        Should.Throw<ArgumentException>(static () => new LimitMerge().Merge(new ClassClaim[2], 3, 10, new int[1]));

    /// <summary>In each row: size and demand of the fixed class, the maximum, the limits of all three, and whether the others take turns.</summary>
    [Theory]
    [InlineData(4, 20, 12, new[] { 4, 4, 4 }, false)]
    [InlineData(4, 2, 12, new[] { 4, 5, 5 }, false)]
    [InlineData(4, 0, 12, new[] { 4, 6, 6 }, false)]
    [InlineData(10, 20, 12, new[] { 10, 1, 1 }, false)]
    [InlineData(11, 20, 12, new[] { 11, 1, 1 }, true)]
    [InlineData(12, 20, 12, new[] { 12, 1, 1 }, true)]
    [InlineData(50, 60, 12, new[] { 50, 1, 1 }, true)]
    public void Merge_FixedSize_IsKeptAndTheOthersShareWhatItLeaves(int size, int demand, int max, int[] expected, bool takesTurns)
    {
        int[] limits = new int[3];
        new LimitMerge().Merge([new(size, demand, IsFixed: true), new(100, 100), new(100, 100)], 3, max, limits).ShouldBe(takesTurns);
        limits.ShouldBe(expected);
    }

    [Fact]
    public void Merge_AllFixedAboveTheMaximum_NobodyTakesTurns() =>
        new LimitMerge().Merge([new(20, 50, IsFixed: true), new(20, 50, IsFixed: true)], 3, 12, new int[2]).ShouldBeFalse();

    [Fact]
    public void Merge_RandomInputs_BoundsHold()
    {
        Random random = new(5);
        for (int round = 0; round < 2_000; round++)
        {
            int count = random.Next(1, 12);
            int cores = random.Next(1, 9);
            int max = random.Next(1, 500);
            int[] wanted = [.. Enumerable.Range(0, count).Select(_ => random.Next(1, 400))];
            int[] demands = [.. Enumerable.Range(0, count).Select(_ => random.Next(0, 800))];
            bool[] hogs = [.. Enumerable.Range(0, count).Select(_ => random.Next(3) == 0)];

            int[] limits = Merge(wanted, demands, hogs, cores, max);

            limits.Where((_, i) => demands[i] > 0).Sum().ShouldBeLessThanOrEqualTo(Math.Max(max, demands.Count(static d => d > 0)));
            limits.Where((_, i) => hogs[i] && demands[i] > 0).Sum().ShouldBeLessThanOrEqualTo(Math.Max(cores + 1, hogs.Count(static h => h)));
            for (int i = 0; i < count; i++)
            {
                limits[i].ShouldBeInRange(1, wanted[i]);
            }
        }
    }

    [Fact]
    public void Merge_FewerClassesThanBefore_NothingIsLeftOver()
    {
        var policy = new LimitMerge();
        int[] limits = new int[3];
        policy.Merge([new(9, 9, IsHog: true), new(9, 9, IsHog: true), new(9, 9, IsHog: true)], 8, 1_000, limits);

        policy.Merge([new(50, 50), new(60, 60)], 8, 1_000, limits);

        limits[..2].ShouldBe([50, 60]);
    }

    [Fact]
    public void Merge_Again_CostsNoMemory()
    {
        var policy = new LimitMerge();
        ClassClaim[] claims = [new(8, 1_000, IsHog: true), new(600, 1_000), new(30, 0)];
        int[] limits = new int[3];
        policy.Merge(claims, 2, 400, limits);

        Allocation.Of(() => policy.Merge(claims, 3, 400, limits)).ShouldBe(0);
    }

    private static int[] Merge(int[] wanted, int[] demands, bool[] hogs, int cores, int max)
    {
        int[] limits = new int[wanted.Length];
        new LimitMerge().Merge(Claims(wanted, demands, hogs), cores + 1, max, limits);
        return limits;
    }

    private static ClassClaim[] Claims(int[] wanted, int[] demands, bool[] hogs) =>
        [.. wanted.Select((limit, i) => new ClassClaim(limit, demands[i], hogs[i]))];
}
