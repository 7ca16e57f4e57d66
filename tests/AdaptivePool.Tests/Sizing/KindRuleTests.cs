using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <remarks>KindRuleTests.Burning: when a class counts as one that burns CPU, and for how long.</remarks>
public partial class KindRuleTests
{
    private readonly KindRule _rule = new();
    private readonly ScriptedClass _class = new();

    [Fact]
    public void Kind_NothingSeen_UnknownAndAsCarefulAsBeforeAServer()
    {
        _rule.Kind.ShouldBe(WorkKind.Unknown);
        _rule.MayHaveServer.ShouldBeTrue();
        _rule.StepsFreely(_class.Observation).ShouldBeFalse();
    }

    [Theory]
    [InlineData(double.NaN, 0, nameof(WorkKind.Unknown))]
    [InlineData(0.05, 0, nameof(WorkKind.Burns))]
    [InlineData(0.05, 0.9, nameof(WorkKind.Sleeps))]
    [InlineData(0.9, 0.5, nameof(WorkKind.Sleeps))]
    [InlineData(double.NaN, 0.5, nameof(WorkKind.Sleeps))]
    [InlineData(0.9, 0.49, nameof(WorkKind.Serves))]
    [InlineData(0.3, 0, nameof(WorkKind.Serves))]
    public void Kind_HalfASecondOfTheSame_WhatItDoes(double blocked, double sleeping, string kind)
    {
        _class.BlockedShare = blocked;
        Run(0.5, sleeping);

        _rule.Kind.ToString().ShouldBe(kind);
        _rule.MayHaveServer.ShouldBe(kind is not nameof(WorkKind.Sleeps));
    }

    [Fact]
    public void Kind_TheFirstLookShowsSleepers_Sleeps()
    {
        Run(0.01, 1);

        _rule.Kind.ShouldBe(WorkKind.Sleeps, "a cold class must not wait until it is known");
    }

    [Fact]
    public void Kind_SleepersThatAllWaitForACoreForAMoment_Sleeps()
    {
        _class.BlockedShare = 0.5;
        Run(1, 1);

        Run(0.1, 0);

        _rule.Kind.ShouldBe(WorkKind.Sleeps);
    }

    [Fact]
    public void Kind_OneOfTwoWorkersHoldsALockForAMoment_Serves()
    {
        Run(1, 0);

        Run(0.1, 0.5);

        _rule.Kind.ShouldBe(WorkKind.Serves);
    }

    [Fact]
    public void Kind_SleepersThatTurnToAServer_Serves()
    {
        Run(1, 1);

        Run(1, 0);

        _rule.Kind.ShouldBe(WorkKind.Serves);
    }

    [Theory]
    [InlineData(0.005, 0.95, 0, false)]
    [InlineData(0.006, 0.95, 0, true)]
    [InlineData(0.006, 0.9, 0, false)]
    [InlineData(0.006, 0.5, 0.75, true)]
    [InlineData(0.006, 0.49, 0.75, false)]
    [InlineData(0.006, double.NaN, 0.75, true)]
    [InlineData(0.006, 0.9, 0.74, false)]
    [InlineData(double.NaN, 0.95, 1, false)]
    public void WaitsLong_LongAndMostlyBlocked_True(double service, double blocked, double sleeping, bool waits)
    {
        (_class.BlockedShare, _class.SleepingShare) = (blocked, sleeping);

        KindRule.WaitsLong(_class.Observation, service).ShouldBe(waits);
    }

    [Theory]
    [InlineData(0.02, true)]
    [InlineData(0.002, false)]
    public void StepsFreely_BeforeAServer_OnlyWhereLongEvenWaitsTell(double service, bool freely)
    {
        Run(1, 0);
        _class.Complete(0.1, 100, service);

        _rule.StepsFreely(_class.Observation).ShouldBe(freely);
    }

    private void Run(double seconds, double sleeping)
    {
        _class.SleepingShare = sleeping;
        for (int i = 0; i < seconds * 100; i++)
        {
            _class.Wait(0.01);
            _rule.Observe(_class.Observation, _class.Machine);
        }
    }
}
