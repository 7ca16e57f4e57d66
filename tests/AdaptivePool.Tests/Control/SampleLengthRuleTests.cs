using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class SampleLengthRuleTests
{
    private static readonly HillClimbingOptions s_options = new();

    [Theory]
    [InlineData(2, 60)]
    [InlineData(120, 60)]
    [InlineData(400, 200)]
    public void Completions_BySize_IsSixtyOrHalfARound(int size, double expected)
        => SampleLengthRule.Completions(size, s_options).ShouldBe(expected);

    [Theory]
    [InlineData(10, 10, 10)]
    [InlineData(8, 10, 10)]
    [InlineData(10, 8, 10)]
    public void SettleCompletions_ChangeOfSize_IsOneRoundAndTheLeavers(int from, int to, double expected)
        => SampleLengthRule.SettleCompletions(from, to, s_options).ShouldBe(expected);

    [Theory]
    [InlineData(600, 0.1)]
    [InlineData(100_000, 0.03)]
    [InlineData(90, 60 / 90.0)]
    public void Interval_OrdinaryRate_HoldsTheCompletionsWithinBounds(double rate, double seconds)
        => Interval(60, rate, 10, TimeSpan.Zero).ShouldBe(seconds, 1e-6);

    [Fact]
    public void Interval_RateNotKnown_IsTheLongest()
        => Interval(60, 0, 10, TimeSpan.Zero).ShouldBe(1);

    [Theory]
    [InlineData(5, 0, 4)]
    [InlineData(5, 3, 6)]
    [InlineData(5, 0.1, 1)]
    [InlineData(0.01, 0, 30)]
    public void Interval_FewCompletions_IsTwoServiceTimes(double rate, double serviceSeconds, double seconds)
        => Interval(60, rate, 10, TimeSpan.FromSeconds(serviceSeconds)).ShouldBe(seconds, 1e-6);

    [Theory]
    [InlineData(600)]
    [InlineData(5)]
    [InlineData(0)]
    public void Interval_ShortestIsAboveTheLongestThatMeasures_IsTheShortest(double rate)
        => SampleLengthRule.Interval(60, rate, 10, TimeSpan.Zero, shortest: 3600, s_options).ShouldBe(TimeSpan.FromHours(1));

    private static double Interval(double completions, double rate, int size, TimeSpan service)
        => SampleLengthRule.Interval(completions, rate, size, service, 0.03, s_options).TotalSeconds;
}
