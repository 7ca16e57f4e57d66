using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class MachineUseTests
{
    private MachineUse _use;
    private TimeSpan _now = TimeSpan.FromHours(1);

    [Fact]
    public void MeanOf_NothingSeen_TheReading()
    {
        MachineObservation reading = new(0.5, 1.5, 2, Known: true);

        _use.MeanOf(reading).ShouldBe(reading);
    }

    [Fact]
    public void MeanOf_ReadingsThatSwing_TheirMean()
    {
        for (int i = 1; i <= 500; i++)
        {
            bool idle = i % 10 == 0;
            See(3, new(idle ? 1 : 1.2, idle ? 0.4 : 0, 2, Known: true));
        }

        MachineObservation mean = _use.MeanOf(new(1, 0.4, 2, Known: true));
        mean.IdleCores.ShouldBe(0.04, 0.01);
        mean.OwnCores.ShouldBe(1.18, 0.01);
    }

    [Fact]
    public void MeanOf_LoadThatEnded_FollowsWithinASecond()
    {
        for (int i = 1; i <= 1_000; i++)
        {
            See(3, new(2, i > 600 ? 1.9 : 0, 2, Known: true));
        }

        _use.MeanOf(new(0, 0, 2, Known: true)).IdleCores.ShouldBeGreaterThan(1.6);
    }

    [Fact]
    public void MeanOf_SinceAMoment_NothingOfWhatWasBefore()
    {
        See(1_000, new(2, 0, 2, Known: true));
        MachineUse before = _use;
        See(3, new(0.5, 1.5, 2, Known: true));
        See(3, new(0.7, 1.3, 2, Known: true));

        MachineObservation mean = _use.MeanOf(new(0, 0, 2, Known: true), before);

        mean.OwnCores.ShouldBe(0.6, 0.01);
        mean.IdleCores.ShouldBe(1.4, 0.01);
        before.MeanOf(new(0.5, 1.5, 2, Known: true), before).IdleCores.ShouldBe(1.5);
    }

    [Fact]
    public void MeanOf_FirstReadingsUnknown_OfThoseThatAreKnown()
    {
        MachineUse before = _use;
        See(1_000, new(0, 0, 2, Known: false));
        See(3, new(0.5, 1.5, 2, Known: true));

        _use.MeanOf(new(0, 0, 2, Known: true), before).OwnCores.ShouldBe(0.5, 0.001);
        _use.MeanOf(new(0, 0, 2, Known: false)).OwnCores.ShouldBe(0);
    }

    [Fact]
    public void With_AnHourWithoutALook_CountsAsHalfASecond()
    {
        See(300, new(2, 0, 2, Known: true));
        See(3_600_000, new(0, 2, 2, Known: true));
        See(250, new(2, 0, 2, Known: true));

        _use.MeanOf(new(0, 0, 2, Known: true)).OwnCores.ShouldBe(0.9, 0.01);
    }

    private void See(double milliseconds, in MachineObservation m) => _use = _use.With(_now += TimeSpan.FromMilliseconds(milliseconds), m);
}
