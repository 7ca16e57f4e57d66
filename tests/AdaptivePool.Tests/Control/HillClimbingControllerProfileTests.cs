using AdaptivePool.Control;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

/// <summary>What the controller does itself, whichever search it uses.</summary>
public sealed class HillClimbingControllerProfileTests
{
    private static readonly HillClimbingOptions[] s_profiles = [new(), HillClimbingOptions.SeedWave];

    public static TheoryData<ControllerProfile> Profiles => [.. Enum.GetValues<ControllerProfile>()];

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Update_Disabled_HoldsWhateverIsInForce(ControllerProfile profile)
    {
        var controller = new HillClimbingController(Of(profile) with { Enabled = false });
        var feed = new SampleFeed(controller, 40, n => 100.0 * n);
        feed.Run(100).ShouldAllBe(d => d.Target == 40 && d.Reason == DecisionReason.Hold && !d.IsTrial);
        feed.Target = 60;
        feed.Run(5).ShouldAllBe(d => d.Target == 60 && d.Trace.State == "Disabled");
        feed.Max = 50;
        SizeDecision held = feed.Step();
        held.Target.ShouldBe(50);
        controller.BaseSize.ShouldBe(50);

        SizeDecision refused = controller.Update(feed.Sample() with { Completions = -1 });
        (refused.Target, refused.NextInterval, refused.Trace.State).ShouldBe((50, held.NextInterval, "Disabled"));
    }

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Update_InvalidSample_HoldsAndTheSearchLearnsNothing(ControllerProfile profile)
    {
        var clean = new SampleFeed(new HillClimbingController(Of(profile)), 72, n => n * 100.0);
        var dirty = new SampleFeed(new HillClimbingController(Of(profile)), 72, n => n * 100.0);
        for (int i = 0; i < 60; i++)
        {
            dirty.Step().Trace.ShouldBe(clean.Step().Trace);
            SizeDecision refused = dirty.Controller.Update(dirty.Sample() with { Completions = -1 });
            (refused.Reason, refused.Target, refused.Trace.To).ShouldBe((DecisionReason.InvalidSample, dirty.Target, dirty.Target));
        }

        clean.Target.ShouldBeGreaterThan(72, "the run is long enough to decide something");
    }

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Update_InvalidFirstSample_DecidesOnNothing(ControllerProfile profile)
    {
        var controller = new HillClimbingController(Of(profile));
        var feed = new SampleFeed(controller, 40, n => 100.0 * n);
        controller.Update(feed.Sample() with { Target = 0 }).Target.ShouldBe(1);
        controller.BaseSize.ShouldBe(0);
        feed.Step().Reason.ShouldBe(DecisionReason.Initial);
        controller.BaseSize.ShouldBe(40);
    }

    [Fact]
    public void Update_InvalidSampleInTheWave_StaysATrial()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 72, n => 2000);
        feed.RunUntil(DecisionReason.Wave).IsTrial.ShouldBeTrue();
        SizeDecision refused = feed.Controller.Update(feed.Sample() with { Elapsed = TimeSpan.Zero });
        (refused.Target, refused.IsTrial, refused.NextInterval).ShouldBe((82, true, TimeSpan.FromSeconds(2)));
    }

    [Fact]
    public void Constructor_Profile_ChoosesTheSearch()
    {
        var adaptive = new SampleFeed(new HillClimbingController(), 40, n => 1000);
        adaptive.RunUntil(DecisionReason.Wave).Target.ShouldBeLessThan(40, "of 40 threads that nothing is known of fewer are tried first");
        var seed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 40, n => 1000);
        seed.RunUntil(DecisionReason.Wave).Target.ShouldBe(50, "the seed's wave goes up only");
    }

    [Theory]
    [MemberData(nameof(Profiles))]
    public void Reinitialize_NoThreads_Throws(ControllerProfile profile)
        => Should.Throw<ArgumentOutOfRangeException>(() => new HillClimbingController(Of(profile)).Reinitialize(0, DecisionReason.ManualResize));

    private static HillClimbingOptions Of(ControllerProfile profile) => s_profiles.Single(p => p.Profile == profile);
}
