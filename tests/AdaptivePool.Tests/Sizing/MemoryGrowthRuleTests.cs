using AdaptivePool.Sensing;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class MemoryGrowthRuleTests
{
    private const double Mega = 1 << 20;

    /// <summary>The first reading: one in 32 of the threads that a mega each leaves room for.</summary>
    [Theory]
    [InlineData(200, 20, 5)]
    [InlineData(200, 164, 1)]
    [InlineData(200, 179.5, 0)]
    [InlineData(200, 180, 0)]
    [InlineData(200, 300, 0)]
    [InlineData(8_000, 1_000, 194)]
    [InlineData(24_000, 1_000, 644)]
    public void Look_First_AllowsPartOfWhatIsLeft(double limit, double used, int more) => At(Rule(), 0, used, existing: 7, limit).ShouldBe(7 + more);

    [Fact]
    public void Look_NothingIsKnown_AllowsAnyNumber()
    {
        Rule().Look(TimeSpan.Zero, [MemoryUse.Unknown, new MemoryUse(double.NaN, 100)], 7, 1).ShouldBe(int.MaxValue);
        Rule().Look(TimeSpan.Zero, [], 7, 1).ShouldBe(int.MaxValue);
    }

    [Fact]
    public void Look_ShareIsOne_AllowsAnyNumber() => At(new MemoryGrowthRule(1), 0, used: 199, existing: 7).ShouldBe(int.MaxValue);

    [Fact]
    public void Look_SeveralLimits_TheTightestCounts()
        => Rule().Look(TimeSpan.Zero, [new MemoryUse(20 * Mega, 200 * Mega), MemoryUse.Unknown, new MemoryUse(0, 40 * Mega)], 0, 1).ShouldBe(2);

    [Fact]
    public void Look_SeveralPools_DivideWhatIsLeft() => Rule().Look(TimeSpan.Zero, [new MemoryUse(20 * Mega, 200 * Mega)], 0, 5).ShouldBe(1);

    /// <summary>40 threads are new, and 16 mega of theirs are seen: the other 24 are still to come, and 4 are kept.</summary>
    [Fact]
    public void Look_NewThreadsHaveNotTakenTheirMemoryYet_CountWithAMegaEach()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 20, existing: 0);
        At(rule, 0.1, used: 36, existing: 40).ShouldBe(40 + 4, "(144 - 24 - 4) / 32, rounded up");
        At(rule, 0.2, used: 36, existing: 160).ShouldBe(160, "what is left is theirs");
    }

    /// <summary>4 mega for each new thread: 60 are left less 25 that are kept, which is room for 8 of them.</summary>
    [Fact]
    public void Look_NewThreadsTakeMore_EachCountsWithThat()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 20, existing: 0);
        At(rule, 0.1, used: 120, existing: 25).ShouldBe(26);
        At(rule, 0.2, used: 150, existing: 33).ShouldBe(33, "all that is left is kept");
    }

    /// <summary>Blockers that take nothing are held back for a moment only: a thread that is a second old has taken what it takes.</summary>
    [Fact]
    public void Look_ThreadsTakeNothing_ThereIsRoomForAsManyAfterASecond()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 20, existing: 0);
        At(rule, 0.5, used: 20, existing: 160).ShouldBe(160);
        At(rule, 1, used: 20, existing: 160).ShouldBe(160, "these are half a second old");
        At(rule, 1.5, used: 20, existing: 160).ShouldBe(160);
        At(rule, 2, used: 20, existing: 160).ShouldBe(165);
    }

    /// <summary>What a process always holds counts once; what has come lately counts with a quarter more, for it may still rise.</summary>
    [Fact]
    public void Look_MemoryHasBeenTakenForAMinute_NothingIsKeptForIt()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 100, existing: 10, limit: 1_000);
        At(rule, 28, used: 420, existing: 60, limit: 1_000).ShouldBe(60 + 13, "(480 - 80) / 32, rounded up");
        At(rule, 31, used: 420, existing: 60, limit: 1_000).ShouldBe(60 + 13);
        At(rule, 62, used: 420, existing: 60, limit: 1_000).ShouldBe(60 + 15, "480 / 32");
    }

    /// <summary>An app that starts and fills its caches: 740 mega came with ten threads, and a quarter of that would be all that is left.</summary>
    [Fact]
    public void Look_MemoryHasComeWithFewThreads_LittleIsKeptForThem()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 0, existing: 0, limit: 1_000);
        At(rule, 20, used: 740, existing: 10, limit: 1_000).ShouldBe(10 + 4, "(160 - 40) / 32, rounded up");
    }

    [Fact]
    public void Look_UseAndThreadsFall_NothingIsExpected()
    {
        MemoryGrowthRule rule = Rule();
        At(rule, 0, used: 100, existing: 50);
        At(rule, 0.1, used: 20, existing: 10).ShouldBe(15);
    }

    /// <summary>An app that fills its caches while no thread is new: what has come is not the threads', and 220 mega are left.</summary>
    [Fact]
    public void Look_UseGrowsWithoutThreads_AllowsPartOfWhatIsLeft()
    {
        MemoryGrowthRule rule = Rule();
        for (int look = 0; look < 14; look++)
        {
            At(rule, look / 4.0, used: 30 + (50 * look), existing: 10, limit: 1_000).ShouldBeGreaterThan(10);
        }

        At(rule, 3.5, used: 680, existing: 10, limit: 1_000).ShouldBe(10 + 7, "220 / 32, rounded up");
    }

    /// <summary>
    /// A pool that starts all it may at once, and items whose memory is seen a reading later. The sum stays below the limit, and most of it is used.
    /// </summary>
    [Theory]
    [InlineData(0.1)]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(12)]
    public void Look_ItemsTakeTheirMemoryAfterAWhile_SumStaysBelowTheLimit(double perItem)
    {
        MemoryGrowthRule rule = Rule();
        int existing = 2;
        Queue<int> started = new([2]);
        for (double now = 0; now < 20; now += 0.01)
        {
            started.Enqueue(existing);
            double used = 20 + (started.Dequeue() * perItem);
            used.ShouldBeLessThan(200);
            existing = Math.Max(existing, At(rule, now, used, existing));
        }

        (20 + (existing * perItem)).ShouldBeInRange(100, 200);
    }

    private static MemoryGrowthRule Rule() => new(0.9);

    private static int At(MemoryGrowthRule rule, double seconds, double used, int existing, double limit = 200) =>
        rule.Look(TimeSpan.FromSeconds(seconds), [new MemoryUse(used * Mega, limit * Mega)], existing, pools: 1);
}
