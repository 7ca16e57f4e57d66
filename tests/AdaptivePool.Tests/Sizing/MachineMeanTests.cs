using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class MachineMeanTests
{
    private readonly MachineMean _mean = new(TimeSpan.FromSeconds(0.5));

    [Fact]
    public void Of_NothingSeen_TheReading()
    {
        MachineObservation reading = new(0.5, 1.5, 2, Known: true);

        _mean.Of(reading).ShouldBe(reading);
    }

    [Fact]
    public void Of_ReadingsThatSwing_TheirMean()
    {
        for (int i = 1; i <= 500; i++)
        {
            bool idle = i % 10 == 0;
            _mean.Observe(TimeSpan.FromMilliseconds(3), new(idle ? 1 : 1.2, idle ? 0.4 : 0, 2, Known: true));
        }

        MachineObservation mean = _mean.Of(new(1, 0.4, 2, Known: true));
        mean.IdleCores.ShouldBe(0.04, 0.01);
        mean.OwnCores.ShouldBe(1.18, 0.01);
    }

    [Fact]
    public void Of_LoadThatEnded_FollowsWithinASecond()
    {
        for (int i = 1; i <= 1_000; i++)
        {
            _mean.Observe(TimeSpan.FromMilliseconds(3), new(2, i > 600 ? 1.9 : 0, 2, Known: true));
        }

        _mean.Of(new(0, 0, 2, Known: true)).IdleCores.ShouldBeGreaterThan(1.6);
    }

    [Fact]
    public void Clear_WhatWasSeen_IsForgotten()
    {
        _mean.Observe(TimeSpan.FromSeconds(1), new(2, 0, 2, Known: true));

        _mean.Clear();

        _mean.Of(new(0.5, 1.5, 2, Known: true)).IdleCores.ShouldBe(1.5);
    }

    [Fact]
    public void Observe_Unknown_ChangesNothing()
    {
        _mean.Observe(TimeSpan.FromSeconds(1), new(0, 0, 2, Known: false));

        _mean.Of(new(0.5, 1.5, 2, Known: true)).OwnCores.ShouldBe(0.5);
    }
}
