using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <remarks>Workers that have declared their waits.</remarks>
public partial class LentRuleTests
{
    private const double LongSeconds = 0.05;

    /// <summary>200 sleeps of 50 ms after a time without work, in a class that has had some: without the declaration no step comes before 100 ms.</summary>
    [Fact]
    public void Observe_DeclaredInAClassOfLongItems_DoublesEach5MsFromTheStart()
    {
        Declare();
        int[] sizes = [.. Enumerable.Range(0, 7).Select(_ => 2 + Tick(0.0055))];

        sizes.ShouldBe([4, 8, 16, 32, 64, 128, 256]);
    }

    [Fact]
    public void Observe_DeclaredWhileThreadsStillStart_ThreeQuartersAreEnoughForTheFirstStep()
    {
        Declare();
        _class.Limit = 8;
        _rule.Observe(_class.Observation, _class.Machine, 8, 8, isCold: false, mayGrow: true);
        _class.Active = 5;
        _class.Wait(0.0055);
        _rule.Observe(_class.Observation, _class.Machine, 8, 8, isCold: false, mayGrow: true);
        _rule.Stalled.ShouldBe(0);
        _class.Active = 6;
        _class.Wait(0.001);
        _rule.Observe(_class.Observation, _class.Machine, 8, 8, isCold: false, mayGrow: true);
        _rule.Stalled.ShouldBe(8);
    }

    [Fact]
    public void Observe_DeclaredByHalf_WaitsForSilenceAsTheOthersDo()
    {
        Declare();
        _class.DeclaredShare = 0.5;

        Tick(0.0055).ShouldBe(0);
        Tick(1.9 * LongSeconds).ShouldBe(2);
    }

    [Theory]
    [InlineData(0.95, 2)]
    [InlineData(double.NaN, 2)]
    [InlineData(0.5, 2)]
    [InlineData(0.49, 0)]
    public void Observe_DeclaredOnFullCores_WhoIsSeenToUseNoCpuIsAnsweredAtOnce(double blocked, int lent)
    {
        Declare();
        (_class.IdleCores, _class.BlockedShare) = (0, blocked);

        Tick(0.0055).ShouldBe(lent);
        Tick(1.9 * LongSeconds).ShouldBeGreaterThan(0);
    }

    /// <summary>What completes each 4 ms may be a server that has enough callers.</summary>
    [Fact]
    public void Observe_DeclaredWhileOthersComplete_LendsNothing()
    {
        Declare();
        for (int i = 0; i < 500; i++)
        {
            _class.Completed++;
            Tick(0.004).ShouldBe(0);
        }
    }

    [Theory]
    [InlineData(0.95, true)]
    [InlineData(double.NaN, true)]
    [InlineData(0.5, true)]
    [InlineData(0.49, false)]
    public void Observe_DeclaredWhileTheProcessIsBusy_LentBeyondSmallSizesToWhoUsesNoCpu(double blocked, bool lends)
    {
        Declare();
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare) = (1.3, 0.7, blocked);
        _class.Limit = _class.Observation.SmallSize;
        _class.Wait(0.0055);

        _rule.Observe(_class.Observation, _class.Machine, _class.Limit, _class.Limit, isCold: false, mayGrow: true);

        _rule.IsOpen.ShouldBe(lends);
    }

    [Fact]
    public void Observe_DeclaredWithAFixedStallLimit_WaitsForThat()
    {
        LentRule rule = new(_settings with { StallLimit = TimeSpan.FromSeconds(0.5) });
        Declare();
        rule.StallTime(_class.Observation).ShouldBe(TimeSpan.FromSeconds(0.5));
    }

    private void Declare()
    {
        (_class.SleepingShare, _class.TaskWaitShare, _class.DeclaredShare) = (1, 1, 1);
        _class.LongServiceSeconds = LongSeconds;
        HasCompleted(1);
    }
}
