using AdaptivePool.Control;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

/// <summary>When a size is proposed, when it is forgotten, and what is not remembered at all.</summary>
public sealed class MemoryRuleTests
{
    private static readonly WorkloadProfile s_few = new() { WaitingSeconds = 0.001 };
    private static readonly WorkloadProfile s_many = new() { WaitingSeconds = 0.005 };
    private static readonly WorkloadProfile s_other = new() { WaitingSeconds = 0.1 };
    private readonly OptimumMemory _memory = new();
    private readonly MemoryRule _rule;

    public MemoryRuleTests() => _rule = new("c", _memory);

    [Fact]
    public void Rest_AfterASearch_IsFoundByTheFirstProfileAndByTheLast()
    {
        _rule.Begin();
        Propose(s_few, 2, measured: false);
        Propose(s_many, 8, measured: true);
        _rule.Rest(Seen(s_many), 16, 4_000, isDemandLimited: false);

        Propose(s_few, 2)!.Value.Size.ShouldBe(16);
        Propose(s_many, 2)!.Value.Size.ShouldBe(16);
        Propose(s_other, 2).ShouldBeNull();
    }

    [Theory]
    [InlineData(16)]
    [InlineData(15)]
    [InlineData(17)]
    public void Propose_SizeInForceAlready_Nothing(int verified)
    {
        _memory.Remember("c", s_few, 16, 4_000);
        Propose(s_few, verified).ShouldBeNull();
    }

    [Fact]
    public void Propose_MoreThanAllowed_IsCutAndNotTakenForTheAnswer()
    {
        _memory.Remember("c", s_few, 16, 4_000);
        OptimumRecord? cut = _rule.Propose(Seen(s_few), 2, most: 5, measured: true);

        cut!.Value.Size.ShouldBe(5);
        cut.Value.IsDemandLimited.ShouldBeTrue();
    }

    [Fact]
    public void Propose_DemandIsLowForAMoment_DoesNotShrink()
    {
        _memory.Remember("c", s_few, 200, 4_000);
        _rule.Propose(Seen(s_few), 180, most: 120, measured: true).ShouldBeNull();
    }

    [Theory]
    [InlineData(DecisionReason.RampRefused, false)]
    [InlineData(DecisionReason.Ramp, false)]
    [InlineData(DecisionReason.HogCap, false)]
    [InlineData(DecisionReason.RampVerified, true)]
    [InlineData(DecisionReason.DemandLimited, true)]
    [InlineData(DecisionReason.StallLoan, true)]
    public void Follow_WhatTheRampSaid_RefusedIsForgotten(DecisionReason reason, bool kept)
    {
        _memory.Remember("c", s_few, 16, 4_000);
        Propose(s_few, 2);
        _rule.Follow(DecisionReason.Remembered);
        _rule.IsTrying.ShouldBeTrue();
        Propose(s_few, 2).ShouldBeNull("one trial at a time");

        _rule.Follow(reason);

        _rule.IsTrying.ShouldBeFalse();
        _memory.Recall("c", s_few).HasValue.ShouldBe(kept);
    }

    [Fact]
    public void Follow_StepsOfTheRampWithoutATrial_ForgetNothing()
    {
        _memory.Remember("c", s_few, 16, 4_000);
        Propose(s_few, 2);

        _rule.Follow(DecisionReason.RampRefused);

        _memory.Count.ShouldBe(1);
    }

    [Fact]
    public void Rest_SameSizeForOtherWorkWithoutASearch_IsNotRemembered()
    {
        _rule.Begin();
        _rule.Rest(Seen(s_few), 16, 4_000, isDemandLimited: false);

        _rule.Rest(Seen(s_other), 16, 4_000, isDemandLimited: false);
        _memory.Recall("c", s_other).ShouldBeNull();

        _rule.Begin();
        _rule.Rest(Seen(s_other), 16, 4_000, isDemandLimited: false);
        _memory.Recall("c", s_other).ShouldNotBeNull();
    }

    [Fact]
    public void Rest_RateNotKnown_IsNotRemembered()
    {
        _rule.Rest(Seen(s_few), 16, double.NaN, isDemandLimited: false);
        _memory.Count.ShouldBe(0);
    }

    [Fact]
    public void HasReturned_KnownWorkOfAnotherSize_WhenItLasts()
    {
        _memory.Remember("c", s_other, 200, 4_000);
        _rule.Begin();
        _rule.Rest(Seen(s_few), 16, 4_000, isDemandLimited: false);

        HasReturned(s_few, 0).ShouldBeFalse();
        HasReturned(s_other, 1).ShouldBeFalse();
        HasReturned(s_few, 1.04).ShouldBeFalse("a passing profile");
        HasReturned(s_other, 1.06).ShouldBeFalse();
        HasReturned(s_other, 1.12).ShouldBeTrue();

        bool HasReturned(WorkloadProfile profile, double now) => _rule.HasReturned(Seen(profile) with { Now = TimeSpan.FromSeconds(now) }, 16, 1_000);
    }

    [Fact]
    public void HasReturned_SameWorkUnderNoise_OtherRecordsNearbyDoNotCallIt()
    {
        WorkloadProfile near = s_few with { WaitingSeconds = 1.5 * s_few.WaitingSeconds };
        _rule.Begin();
        _rule.Rest(Seen(s_few), 16, 4_000, isDemandLimited: false);
        _memory.Remember("c", near, 40, 4_000);

        _rule.HasReturned(Seen(near) with { Now = TimeSpan.FromSeconds(1) }, 16, 1_000).ShouldBeFalse();
        _rule.HasReturned(Seen(near) with { Now = TimeSpan.FromSeconds(2) }, 16, 1_000).ShouldBeFalse();
    }

    [Fact]
    public void Propose_AfterATrial_NothingMoreUntilTheNextSearch()
    {
        _memory.Remember("c", s_few, 16, 4_000);
        Propose(s_few, 2).ShouldNotBeNull();
        _rule.Follow(DecisionReason.Remembered);
        _rule.Follow(DecisionReason.RampVerified);

        Propose(s_few, 8).ShouldBeNull();

        _rule.Begin();
        Propose(s_few, 8).ShouldNotBeNull();
    }

    [Fact]
    public void Rest_OtherAnswerForTheSameWork_ReplacesWhatWasNear()
    {
        _memory.Remember("c", s_few with { WaitingSeconds = 0.001_4 }, 100, 4_000);
        _rule.Begin();
        _rule.Rest(Seen(s_few), 16, 4_000, isDemandLimited: false);

        _memory.ToList().ShouldHaveSingleItem().Size.ShouldBe(16);
    }

    private OptimumRecord? Propose(WorkloadProfile profile, int verified, bool measured = true) => _rule.Propose(Seen(profile), verified, 1_000, measured);

    private static ClassObservation Seen(WorkloadProfile profile) => new() { Now = TimeSpan.Zero, Limit = 2, Active = 2, Queued = 9, Completed = 0, Profile = profile };
}
