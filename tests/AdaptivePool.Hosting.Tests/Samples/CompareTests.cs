using AdaptivePool.Sample.Bank;
using AdaptivePool.Sample.Bank.Compare;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

public sealed class CompareTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData("--fast")]
    [InlineData("--seconds")]
    [InlineData("--seconds", "19")]
    [InlineData("--seconds", "601")]
    [InlineData("--seconds", "-30")]
    [InlineData("--seconds", "30", "more")]
    public async Task Main_BadCompareArguments_Returns2(params string[] args) => (await Program.Main(["compare", .. args])).ShouldBe(2);

    [Fact]
    public async Task Main_UnknownCommand_Returns2() => (await Program.Main(["comapre"])).ShouldBe(2);

    [Theory]
    [InlineData("--port")]
    [InlineData("--port", "-1")]
    [InlineData("--port", "65536")]
    [InlineData("--fast")]
    public async Task Main_BadShowArguments_Returns2(params string[] args) => (await Program.Main(["show", .. args])).ShouldBe(2);

    [Fact]
    public void Parse_Seconds_SetsTheLoad() => CompareOptions.Parse(["--seconds", "30"], out _).ShouldBe(new CompareOptions(TimeSpan.FromSeconds(30)));

    [Fact]
    public void Parse_NoArguments_EndsWithin90Seconds() => CompareOptions.Parse([], out _)!.Limit.ShouldBeLessThan(TimeSpan.FromSeconds(90));

    [Fact]
    public void Find_SteadyFromTheStart_IsZero() => FullSpeedRule.Find([Cell((0, 1, 100))]).ShouldBe(TimeSpan.Zero);

    [Fact]
    public void Find_SlowFirstHalf_IsWhereTheFirstFullWindowBegins()
        => FullSpeedRule.Find([Cell((0, 0.4, 10), (0.4, 1, 100))]).ShouldNotBeNull().TotalSeconds.ShouldBe(0.38, tolerance: 0.03);

    [Fact]
    public void Find_OnlySecondCellIsFast_IsNull() => FullSpeedRule.Find([Cell((0, 1, 10)), Cell((0, 1, 100))]).ShouldBeNull();

    [Fact]
    public void Find_NoAnswerInTime_IsNull() => FullSpeedRule.Find([Cell((1, 3, 10))]).ShouldBeNull();

    [Fact]
    public void Find_FewAnswersAtOnceAndTheRestLate_IsNull() => FullSpeedRule.Find([Cell((0, 0.1, 20), (2, 4, 40))]).ShouldBeNull();

    [Fact]
    public void Of_LateAnswers_CountOverTheTimeTheyTook()
    {
        Summary summary = Summary.Of([Cell((0, 4, 10))]);

        summary.RequestsPerSecond.ShouldBe(10, tolerance: 0.5);
    }

    [Fact]
    public void Of_SeveralCells_TakesPercentilesOfAllAndTheHighestPeak()
    {
        Answer[] answers = [.. Enumerable.Range(1, 100).Select(i => new Answer(s_second * (i / 200.0), TimeSpan.FromMilliseconds(i)))];
        Summary summary = Summary.Of([new(s_second, answers[..30], 0, null) { PeakThreads = 9 }, new(s_second, answers[30..], 0, null) { PeakThreads = 4 }]);

        summary.P50.ShouldBe(TimeSpan.FromMilliseconds(50));
        summary.P99.ShouldBe(TimeSpan.FromMilliseconds(99));
        summary.PeakThreads.ShouldBe(9);
        summary.RequestsPerSecond.ShouldBe(50);
    }

    [Fact]
    public void Of_UnansweredRequests_CountAsLatencyAndNotAsAnswers()
    {
        Answer answer = new(s_second / 2, TimeSpan.FromMilliseconds(5));
        Summary summary = Summary.Of([new(s_second, [answer], 0, null) { Unanswered = [TimeSpan.FromMilliseconds(700), TimeSpan.FromMilliseconds(900)] }]);

        summary.IsLowerBound.ShouldBeTrue();
        summary.P50.ShouldBe(TimeSpan.FromMilliseconds(700));
        summary.P99.ShouldBe(TimeSpan.FromMilliseconds(900));
        summary.RequestsPerSecond.ShouldBe(1);
    }

    [Fact]
    public void Of_AllAnswered_IsNoLowerBound() => Summary.Of([Cell((0, 1, 10))]).IsLowerBound.ShouldBeFalse();

    // A cell of one second with evenly spaced answers: from second, to second, per second.
    private static CellResult Cell(params (double From, double To, double Rate)[] parts) => new(
        s_second,
        [.. parts.SelectMany(p
            => Enumerable.Range(0, (int)((p.To - p.From) * p.Rate)).Select(i => new Answer(s_second * (p.From + (i / p.Rate)), TimeSpan.Zero)))],
        0,
        null);
}
