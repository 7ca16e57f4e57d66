using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class StuckRuleTests
{
    private readonly StuckRule _rule = new();
    private readonly ScriptedClass _class = new() { Limit = 40 };

    public StuckRuleTests() => Observe(completions: 0);

    [Fact]
    public void Observe_OthersComplete_StuckWorkersGiveTheirPlacesAway()
    {
        _class.StuckWaiting = 30;

        Observe(completions: 1).ShouldBe(30);
    }

    [Fact]
    public void Observe_NothingCompletes_NoPlaceIsGiven()
    {
        _class.StuckWaiting = 30;

        for (int i = 0; i < 1_000; i++)
        {
            Observe(completions: 0).ShouldBe(0);
        }
    }

    [Fact]
    public void Observe_NothingCompletesAnyMore_WhatWasGivenStays()
    {
        _class.StuckWaiting = 10;
        Observe(completions: 1);
        _class.StuckWaiting = 30;

        Observe(completions: 0).ShouldBe(10);
    }

    [Fact]
    public void Observe_StuckWorkersReturn_PlacesAreTakenBackAtOnce()
    {
        _class.StuckWaiting = 30;
        Observe(completions: 1);
        _class.StuckWaiting = 4;

        Observe(completions: 0).ShouldBe(4);
    }

    [Fact]
    public void Observe_MayNotGive_OnlyTakesBack()
    {
        _class.StuckWaiting = 5;
        Observe(completions: 1);
        (_class.StuckWaiting, _class.Completed) = (30, 9);

        _rule.Observe(_class.Observation, mayGive: false);

        _rule.Places.ShouldBe(5);
    }

    [Theory]
    [InlineData(1, 20)]
    [InlineData(0.95, 18)]
    [InlineData(0.5, 0)]
    [InlineData(double.NaN, 0)]
    public void Observe_WorkersThatMayCompute_GiveNone(double blocked, int places)
    {
        (_class.StuckElsewhere, _class.BlockedShare) = (20, blocked);

        Observe(completions: 1).ShouldBe(places);
    }

    [Fact]
    public void Observe_NeverMoreThanActive()
    {
        (_class.StuckWaiting, _class.Active) = (30, 12);

        Observe(completions: 1).ShouldBe(12);
    }

    private int Observe(int completions)
    {
        _class.Completed += completions;
        _rule.Observe(_class.Observation, mayGive: true);
        return _rule.Places;
    }
}
