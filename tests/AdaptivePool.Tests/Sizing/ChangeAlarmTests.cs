using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public class ChangeAlarmTests
{
    private readonly ScriptedClass _class = new() { Limit = 16, BlockedShare = 0.9 };
    private readonly ChangeAlarm _alarm = new(new ClassSizeSettings { Cores = 2 });

    [Theory]
    [InlineData(0.6)]
    [InlineData(1.6)]
    public void Add_LevelLeftForGood_Alarm(double factor)
    {
        Windows(1, 30).ShouldBeFalse();
        Windows(factor, 5).ShouldBeTrue();
        _alarm.Dropped.ShouldBe(factor < 1);
    }

    [Fact]
    public void Add_NoiseOfAThird_NoAlarm()
    {
        Random random = new(7);
        for (int i = 0; i < 600; i++)
        {
            Windows(0.67 + (0.66 * random.NextDouble()), 1).ShouldBeFalse($"window {i}");
        }
    }

    [Fact]
    public void Add_WaitingTurnsIntoComputingAtTheSameRate_Alarm()
    {
        Windows(1, 30).ShouldBeFalse();
        _class.BlockedShare = 0.5;
        Windows(1, 5).ShouldBeTrue();
        _alarm.Dropped.ShouldBeFalse();
    }

    [Fact]
    public void Add_BlockedShareUnknown_ThroughputAloneIsJudged()
    {
        _class.BlockedShare = double.NaN;
        Windows(1, 60).ShouldBeFalse();
        Windows(0.5, 5).ShouldBeTrue();
    }

    [Fact]
    public void Add_OneHiccup_NoAlarm()
    {
        for (int i = 0; i < 10; i++)
        {
            Windows(1, 30).ShouldBeFalse();
            Windows(0.3, 1).ShouldBeFalse();
        }
    }

    [Fact]
    public void Add_FewItems_WindowWaitsForSixty()
    {
        // Six of these make one window: twelve windows teach the level, and nothing fell yet when 0.2 s have passed.
        for (int i = 0; i < 6 * 30; i++)
        {
            _alarm.Add(0.2, 10, _class.Observation).ShouldBeFalse();
        }

        Fell(0.2, 2, 6).ShouldBeFalse();
        Fell(0.2, 2, 100).ShouldBeTrue();
    }

    [Fact]
    public void Add_NothingCompletes_StillAnAlarm()
    {
        Windows(1, 30).ShouldBeFalse();
        Fell(0.2, 0, 60).ShouldBeTrue();
    }

    [Fact]
    public void Interrupt_ThrowsTheOpenWindowAway()
    {
        Windows(1, 30).ShouldBeFalse();
        for (int i = 0; i < 10; i++)
        {
            _alarm.Add(0.19, 10_000, _class.Observation).ShouldBeFalse();
            _alarm.Interrupt();
            Windows(1, 2).ShouldBeFalse();
        }
    }

    [Fact]
    public void Reset_AnotherSize_ItsLevelIsLearned()
    {
        Windows(1, 30).ShouldBeFalse();
        _alarm.Reset();
        Windows(0.5, 30).ShouldBeFalse();
    }

    private bool Windows(double factor, int count) => Fell(0.2, (long)(400 * factor), count);

    private bool Fell(double seconds, long items, int count)
    {
        bool alarm = false;
        for (int i = 0; i < count && !alarm; i++)
        {
            alarm = _alarm.Add(seconds, items, _class.Observation);
        }

        return alarm;
    }
}
