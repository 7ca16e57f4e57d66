using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class FirstSamplesTests
{
    private FirstSamples _first;

    [Theory]
    [InlineData(20, 3)]
    [InlineData(45, 7)]
    [InlineData(60, null)]
    [InlineData(500, 3)]
    [InlineData(220, 8)]
    [InlineData(160, null)]
    public void With_SamplesThatStray_AreOtherWorkTheSoonerTheFurtherTheyStray(int completions, int? needed)
    {
        int samples = 0;
        while (!_first.AreOtherWork && samples < 36)
        {
            samples++;
            Add(completions, seconds: 1);
        }

        (_first.AreOtherWork ? samples : (int?)null).ShouldBe(needed);
    }

    // All ends in every tenth sample: one of them has twice the rate, and the others have none.
    [Fact]
    public void With_SamplesShorterThanTheLongItems_CountTogether()
    {
        for (int i = 0; i < 35; i++)
        {
            Add(i % 10 == 9 ? 20 : 1, seconds: 0.1, longService: 1);
        }

        _first.AreOtherWork.ShouldBeTrue();
        _first.Count.ShouldBe(3);

        _first = default;
        for (int i = 0; i < 35; i++)
        {
            Add(i % 2 == 0 ? 20 : 1, seconds: 0.1);
        }

        _first.AreOtherWork.ShouldBeFalse("each alone, as where no item is long");
    }

    [Theory]
    [InlineData(20, true, true)]
    [InlineData(30, true, false)]
    [InlineData(20, false, false)]
    public void With_ShortItemsPassTheLongOnes_OneSampleIsEnough(int completions, bool shortPass, bool isSaid)
    {
        Add(completions, seconds: 1, longService: 1, shortPass);

        _first.AreOtherWork.ShouldBe(isSaid);
    }

    [Fact]
    public void With_LongItemsLongerThanThePatience_AreNotWaitedFor()
    {
        Add(40, seconds: 2, longService: 3_600, shortPass: true);

        _first.AreOtherWork.ShouldBeTrue();
    }

    [Fact]
    public void With_FromThe36thOn_NothingIsOtherWork()
    {
        for (int i = 0; i < 36; i++)
        {
            Add(100, seconds: 1);
        }

        for (int i = 0; i < 10; i++)
        {
            Add(1, seconds: 1, longService: 1, shortPass: true);
        }

        _first.AreOtherWork.ShouldBeFalse();
    }

    [Fact]
    public void Skip_AfterTwoThatStray_BeginsAnew()
    {
        Add(10, seconds: 1);
        Add(10, seconds: 1);
        _first = _first.Skip();
        Add(10, seconds: 1);

        _first.AreOtherWork.ShouldBeFalse();
        _first.Count.ShouldBe(4);
    }

    private void Add(int completions, double seconds, double longService = 0, bool shortPass = false) =>
        _first = _first.With(
            new PoolSample { Elapsed = TimeSpan.FromSeconds(seconds), Completions = completions, Target = 8, MinTarget = 8, MaxTarget = 8 },
            keptRate: 100, longService, shortPass);
}
