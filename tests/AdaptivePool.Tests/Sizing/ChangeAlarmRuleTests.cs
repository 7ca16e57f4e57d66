using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class ChangeAlarmRuleTests
{
    private readonly ChangeAlarmRule _rule = new(new ClassSizeSettings { Cores = 2 });

    [Theory]
    [InlineData(0.69)]
    [InlineData(1.45)]
    public void Add_ThreeWindowsOff_Alarm(double factor)
    {
        _rule.Reset(1_000);

        Windows(factor, 2).ShouldBeFalse();
        Windows(factor, 1).ShouldBeTrue();

        _rule.Dropped.ShouldBe(factor < 1);
    }

    [Theory]
    [InlineData(0.75)]
    [InlineData(1.35)]
    public void Add_WithinTheBand_NoAlarm(double factor)
    {
        _rule.Reset(1_000);

        Windows(factor, 30).ShouldBeFalse();
    }

    [Fact]
    public void Add_WaitingTurnsIntoComputingAtTheSameRate_Alarm()
    {
        _rule.Reset(1_000);
        for (int i = 0; i < 10; i++)
        {
            _rule.Add(0.41, 410, cpuSeconds: 1, wallSeconds: 16).ShouldBeFalse();
        }

        bool raised = false;
        for (int i = 0; i < 3; i++)
        {
            raised |= _rule.Add(0.41, 410, cpuSeconds: 2.2, wallSeconds: 16);
        }

        raised.ShouldBeTrue();
        _rule.Dropped.ShouldBeFalse();
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(1.8)]
    public void Add_CpuUnknownOrWithinTheBand_NoAlarm(double cpuSeconds)
    {
        _rule.Reset(1_000);
        _rule.Add(0.41, 410, cpuSeconds: 1, wallSeconds: 16);
        for (int i = 0; i < 10; i++)
        {
            _rule.Add(0.41, 410, cpuSeconds, wallSeconds: 16).ShouldBeFalse();
        }
    }

    [Fact]
    public void Add_OneGoodWindowBetween_CountsFromTheStart()
    {
        _rule.Reset(1_000);
        for (int i = 0; i < 10; i++)
        {
            Windows(0.5, 2).ShouldBeFalse();
            Windows(1, 1).ShouldBeFalse();
        }
    }

    [Fact]
    public void Add_FewItems_WindowWaitsForSixty()
    {
        _rule.Reset(1_000);

        // 0.4 s each, but 10 items: six of them make one window.
        for (int i = 0; i < 17; i++)
        {
            _rule.Add(0.4, 10).ShouldBeFalse();
        }

        _rule.Add(0.4, 10).ShouldBeTrue();
    }

    [Fact]
    public void Add_NothingCompletes_StillAnAlarm()
    {
        _rule.Reset(1_000);
        bool alarm = false;
        for (int i = 0; i < 40 && !alarm; i++)
        {
            alarm = _rule.Add(0.4, 0);
        }

        alarm.ShouldBeTrue();
    }

    [Fact]
    public void Interrupt_ThrowsTheOpenWindowAway()
    {
        _rule.Reset(1_000);
        _rule.Add(0.39, 10_000);
        _rule.Interrupt();

        Windows(1, 10).ShouldBeFalse();
    }

    [Fact]
    public void Reset_UnknownReference_FirstWindowGivesIt()
    {
        _rule.Reset(double.NaN);

        Windows(1, 20).ShouldBeFalse();
        Windows(0.5, 3).ShouldBeTrue();
    }

    [Fact]
    public void Add_SlowDrift_IsFollowed()
    {
        _rule.Reset(1_000);
        double factor = 1;
        for (int i = 0; i < 60; i++)
        {
            factor *= 0.98;
            Windows(factor, 1).ShouldBeFalse();
        }
    }

    private bool Windows(double factor, int count)
    {
        bool alarm = false;
        for (int i = 0; i < count; i++)
        {
            alarm |= _rule.Add(0.4, (long)(400 * factor));
        }

        return alarm;
    }
}
