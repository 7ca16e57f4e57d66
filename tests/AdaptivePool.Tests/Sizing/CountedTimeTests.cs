using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed partial class CountedTimeTests
{
    [Fact]
    public void Look_CollectionsAndStops_AreLeftOutForGood()
    {
        var time = new CountedTime(collected: 7, static () => 0);
        time.Look(1, collected: 7).ShouldBe(1, 1e-9, "what was collected before the start is none of its time");
        time.AskFor(TimeSpan.FromSeconds(1));
        time.Look(2, collected: 7.25).ShouldBe(1.75, 1e-9, "a collection of 0.25 s");
        time.AskFor(TimeSpan.FromSeconds(1));
        time.Look(8, collected: 7.25).ShouldBe(2.75, 1e-9, "due after a second, and stopped for five");
        time.AskFor(TimeSpan.FromSeconds(1));
        time.Look(9, collected: 7.25).ShouldBe(3.75, 1e-9, "none of it comes back");
    }

    [Fact]
    public void Look_LateBecauseOthersRan_AllCounts()
    {
        var time = new CountedTime(collected: 0, static () => 5);
        time.AskFor(TimeSpan.FromSeconds(1));
        time.Look(6, collected: 0).ShouldBe(6, 1e-9);
    }

    /// <summary>Reading the use takes a while: only a late look asks for it.</summary>
    [Fact]
    public void Look_LateByWhatWasAskedFor_ReadsTheUse()
    {
        int read = 0;
        var time = new CountedTime(collected: 0, () => ++read * 0.0);
        time.Look(100, collected: 0).ShouldBe(100, 1e-9, "the first look waits for work");
        time.AskFor(TimeSpan.FromSeconds(1));
        time.Look(101.2, collected: 0);
        read.ShouldBe(0);
        time.Look(103, collected: 0);
        read.ShouldBe(1);
        time.AskFor(Timeout.InfiniteTimeSpan);
        double before = time.Look(104, collected: 0);
        time.Look(1_000, collected: 0).ShouldBe(before + 896, 1e-9, "it waited for work");
        read.ShouldBe(1);
    }
}
