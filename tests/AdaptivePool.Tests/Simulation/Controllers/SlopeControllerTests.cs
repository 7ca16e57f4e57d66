using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Tests.Simulation.Controllers;

public sealed class SlopeControllerTests
{
    // Samples of a second: the counts of shorter ones are rounded.
    private static readonly SlopeOptions s_short = new() { SamplesPerSize = 2, SampleInterval = TimeSpan.FromSeconds(1) };

    [Fact]
    public void Update_FirstSize_TakesOneStepUpToHaveASlope()
    {
        SampleFeed feed = Feed(s_short, 10, n => 100.0 * n);
        SizeDecision step = feed.RunUntil(DecisionReason.Wave, 3);
        (step.Trace.From, step.Target).ShouldBe((10, 11));
    }

    [Theory]
    [InlineData(100, 10, 11, 365)]
    [InlineData(2, 10, 11, 19)]
    [InlineData(-2, 10, 11, 3)]
    public void Update_TwoSizesWithoutNoise_FollowsTheFormula(double slope, int start, int probe, int expected)
    {
        // k = 1, s = 0, g = 5: a = 5 / sqrt(2) = 3.54; 11 + ceil(353.6), 11 + ceil(7.07), 11 - ceil(7.07).
        SampleFeed feed = Feed(s_short, start, n => 1000 + (slope * n));
        feed.RunUntil(DecisionReason.Wave, 3).Target.ShouldBe(probe);
        SizeDecision jump = feed.RunUntil(slope > 0 ? DecisionReason.JumpUp : DecisionReason.JumpDown, 2);
        jump.Target.ShouldBe(expected);
        jump.Trace.Gain.ShouldBe(slope, 1e-9);
        jump.Trace.Noise.ShouldBe(0, 1e-9);
    }

    [Fact]
    public void Update_NoisySamples_ShortensTheStepByTheExponentOfTheDeviation()
    {
        // Means 1,000 and 1,100; two samples 4 apart have a deviation of the mean of 2: ceil(e^-2 x 3.54 x 100) = 48.
        SampleFeed feed = Feed(s_short, 10, n => n == 10 ? 1000 : 1100);
        feed.RunUntil(DecisionReason.Wave, 3);
        feed.Throughput = _ => 1098;
        feed.Step();
        feed.Throughput = _ => 1102;
        SizeDecision jump = feed.Step();
        jump.Trace.Noise.ShouldBe(2, 1e-9);
        jump.Target.ShouldBe(11 + 48);
    }

    [Fact]
    public void Update_ThroughputUnit_DividesSlopeAndDeviation()
    {
        SampleFeed feed = Feed(s_short with { ThroughputUnit = 100 }, 10, n => 1000 + (100 * n));
        feed.RunUntil(DecisionReason.Wave, 3);
        feed.RunUntil(DecisionReason.JumpUp, 2).Target.ShouldBe(11 + 4);
    }

    [Fact]
    public void Update_Gain_ShrinksWithEveryStep()
    {
        SampleFeed feed = Feed(s_short, 10, n => 1000 + (2.0 * n));
        feed.Step();
        int[] steps = new int[4];
        for (int i = 0; i < steps.Length; i++)
        {
            int from = feed.Target;
            feed.Run(2);
            steps[i] = feed.Target - from;
        }

        // The first step has no slope; then 10 / sqrt(k + 1) for k = 1, 2, 3.
        steps.ShouldBe([1, 8, 6, 5]);
    }

    [Fact]
    public void Update_FlatCurve_GoesOnInTheSameDirectionToHaveASlopeAgain()
    {
        SampleFeed feed = Feed(s_short, 10, _ => 1000);
        feed.Run(9);
        feed.Target.ShouldBe(14);
    }

    [Fact]
    public void Update_AtTheBound_TurnsByOneThread()
    {
        SampleFeed feed = Feed(s_short, 100, n => 10.0 * n);
        feed.Max = 100;
        feed.Run(40).ShouldAllBe(d => d.Target == 99 || d.Target == 100);
        feed.Run(4).Select(d => d.Target).Distinct().Count().ShouldBe(2);
    }

    [Fact]
    public void Update_OneSizeAllowed_Holds()
    {
        SampleFeed feed = Feed(s_short, 7, n => 10.0 * n);
        (feed.Min, feed.Max) = (7, 7);
        feed.Run(20).Skip(1).ShouldAllBe(d => d.Target == 7 && d.Reason == DecisionReason.Hold);
    }

    [Fact]
    public void Update_EmptyQueue_JudgesNothing()
    {
        SampleFeed feed = Feed(s_short, 7, n => 10.0 * n);
        feed.Queued = 0;
        feed.Run(20).Skip(1).ShouldAllBe(d => d.Target == 7 && d.Reason == DecisionReason.DemandLimited);
    }

    [Fact]
    public void Update_SampleThatCannotBe_Holds()
    {
        var controller = new SlopeController();
        var feed = new SampleFeed(controller, 7, n => 10.0 * n);
        feed.Step();
        SizeDecision decision = controller.Update(feed.Sample() with { Completions = -1 });
        (decision.Target, decision.Reason).ShouldBe((7, DecisionReason.InvalidSample));
    }

    [Fact]
    public void Update_SizeChangedByOthers_BeginsAgain()
    {
        SampleFeed feed = Feed(s_short, 10, n => 100.0 * n);
        feed.Run(3);
        feed.Target = 50;
        feed.Step().Reason.ShouldBe(DecisionReason.Reinitialized);
        feed.RunUntil(DecisionReason.Wave, 2).Target.ShouldBe(51);
    }

    [Fact]
    public void Reinitialize_NoThread_IsRefused()
        => Should.Throw<ArgumentOutOfRangeException>(() => new SlopeController().Reinitialize(0, DecisionReason.ManualResize));

    [Theory]
    [InlineData(nameof(SlopeOptions.Gain), 0, 10, 1, 100)]
    [InlineData(nameof(SlopeOptions.Gain), double.NaN, 10, 1, 100)]
    [InlineData(nameof(SlopeOptions.Gain), 1001, 10, 1, 100)]
    [InlineData(nameof(SlopeOptions.SamplesPerSize), 5, 1, 1, 100)]
    [InlineData(nameof(SlopeOptions.ThroughputUnit), 5, 10, 0, 100)]
    [InlineData(nameof(SlopeOptions.SampleInterval), 5, 10, 1, 0)]
    public void Constructor_OptionOutOfRange_NamesIt(string option, double gain, int samples, double unit, double milliseconds)
    {
        var options = new SlopeOptions { Gain = gain, SamplesPerSize = samples, ThroughputUnit = unit,
            SampleInterval = TimeSpan.FromMilliseconds(milliseconds) };
        Should.Throw<ArgumentOutOfRangeException>(() => new SlopeController(options)).ParamName.ShouldBe(option);
    }

    private static SampleFeed Feed(SlopeOptions options, int start, Func<int, double> throughput) => new(new SlopeController(options), start, throughput);
}
