using AdaptivePool.Control;
using AdaptivePool.Sensing;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class ClassSizingTests
{
    // A server keeps the connections that too many threads have opened: a search that measures gets to a high wish by measured steps.
    [Fact]
    public void StartLimit_WishAboveAFewThreads_OnlyWhoMeasuresBeginsBelowIt()
    {
        int few = 4 * Environment.ProcessorCount;
        AdaptivePoolOptions options = new() { InitialThreads = few + 1, MaxThreads = few + 2 };
        AdaptivePoolOptions seed = new() { InitialThreads = few + 1, HillClimbing = HillClimbingOptions.SeedWave };
        AdaptivePoolOptions held = new() { InitialThreads = few + 1, HillClimbing = new() { Enabled = false } };

        ClassSizing.StartLimit(null, options).ShouldBe(few);
        ClassSizing.StartLimit(new StepController(static s => s.Target), options).ShouldBe(few + 1);
        ClassSizing.StartLimit(new FixedController(few + 2), options).ShouldBe(few + 2);
        ClassSizing.StartLimit(null, seed).ShouldBe(few + 1);
        ClassSizing.StartLimit(null, held).ShouldBe(few + 1);
    }

    [Theory]
    [InlineData(0.5, 0, 2)]
    [InlineData(1.5, 0, 1)]
    [InlineData(2, 0, 0)]
    [InlineData(2, 1, 1)]
    [InlineData(3, 1, 0)]
    public void CountOld_ItemsOfAnotherLimit_AreWaitedForAsLongAsTheyMayTake(double secondsOfLimit, double longService, int old)
    {
        ItemAges ages = new();
        ages.Add(3_600, waits: true);
        ages.Add(1, waits: false);
        ages.Add(0.1, waits: true);

        ClassSizing.CountOld(ages, secondsOfLimit, longService).ShouldBe(old);
    }

    [Theory]
    [InlineData(null, 1, 1)]
    [InlineData(1, 100, 1)]
    [InlineData(3, 100, 3)]
    public void StartLimit_FewThreads_AsTheUserSays(int? wish, int maxThreads, int start) =>
        ClassSizing.StartLimit(null, new() { InitialThreads = wish, MaxThreads = maxThreads }).ShouldBe(start);
}
