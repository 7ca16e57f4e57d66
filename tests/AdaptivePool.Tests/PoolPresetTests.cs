using AdaptivePool.Control;
using AdaptivePool.Sizing;
using AdaptivePool.Tests.Sizing;

namespace AdaptivePool.Tests;

/// <summary>What databases mean by the options of their pools, as this pool has it.</summary>
public sealed class PoolPresetTests : PoolTest
{
    /// <summary>Longer than any test: nothing is lent for a stall.</summary>
    private static readonly TimeSpan s_never = TimeSpan.FromSeconds(60);

    [Fact]
    public void Resolve_DatabaseCompatible_HasTheirDefaults()
    {
        AdaptivePoolOptions resolved = new AdaptivePoolOptions { Preset = PoolPreset.DatabaseCompatible }.Resolve();

        resolved.ThreadGroups.ShouldBe(Environment.ProcessorCount);
        resolved.Oversubscribe.ShouldBe(3);
        resolved.StallLimit.ShouldBe(TimeSpan.FromMilliseconds(500));
        resolved.IdleTimeout.ShouldBe(TimeSpan.FromSeconds(60));
        resolved.PriorityKickUp.ShouldBe(TimeSpan.FromSeconds(1));
        resolved.ThreadCreationThrottle.ShouldBeSameAs(AdaptivePoolOptions.DatabaseThreadCreationThrottle);
        (resolved.HighPriorityMode, resolved.HighPriorityTickets, resolved.NewConnectionPriority)
            .ShouldBe((HighPriorityMode.Transactions, null, WorkPriority.High));
    }

    [Fact]
    public void Resolve_OptionsThatAreSet_BeatThePreset()
    {
        AdaptivePoolOptions resolved = new AdaptivePoolOptions
        {
            Preset = PoolPreset.DatabaseCompatible,
            ThreadGroups = 1,
            Oversubscribe = 7,
            NewConnectionPriority = WorkPriority.Normal,
        }.Resolve();

        (resolved.ThreadGroups, resolved.Oversubscribe).ShouldBe((1, 7));
        resolved.NewConnectionPriority.ShouldBe(WorkPriority.Normal);
    }

    [Fact]
    public void Resolve_NoPreset_ChangesNothing()
    {
        AdaptivePoolOptions resolved = new AdaptivePoolOptions().Resolve();

        (resolved.ThreadGroups, resolved.Oversubscribe, resolved.StallLimit, resolved.ThreadCreationThrottle).ShouldBe((null, null, null, null));
        resolved.NewConnectionPriority.ShouldBeNull();
    }

    [Fact]
    public void Resolve_SizingOfOnesOwn_StaysAsItIs() =>
        new AdaptivePoolOptions { Preset = PoolPreset.DatabaseCompatible, Sizing = PoolSizing.Fixed(5) }.Resolve().Oversubscribe.ShouldBeNull();

    [Fact]
    public void FindErrors_OversubscribeBesideAFixedSize_NamesBoth() =>
        new AdaptivePoolOptions { Oversubscribe = 3, Sizing = PoolSizing.Fixed(8) }.FindErrors()
            .ShouldBe(["Oversubscribe is '3'; allowed: no value while Sizing is Fixed(8)."]);

    [Fact]
    public void Oversubscribe_ItemsThatBlock_RunAsManyAsAllGroupsAllow()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { ThreadGroups = 2, Oversubscribe = 3, StallLimit = s_never });
        using var items = new BlockedItems(pool, classes: 1, items: 12);

        Eventually.Be(() => items.Running == 8, "two groups of one and three more");
        items.Open(3);
        Eventually.Be(() => items.Ended == 3 && items.Running == 8, "whoever ends is followed by the next");

        // Items that are about to block spin for a moment, and look like hogs to whoever looks just then.
        Eventually.Be(() => Limit(pool) == 8, "the limit is that of the groups");
    }

    [Fact]
    public void StallLimit_NothingEnds_MoreRun()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { ThreadGroups = 1, Oversubscribe = 1, StallLimit = TimeSpan.FromMilliseconds(10) });
        using var items = new BlockedItems(pool, classes: 1, items: 3);

        Eventually.Be(() => items.Running == 3, "a stalled group gets another thread");
    }

    [Fact]
    public void ThreadGroups_FewerWhileWorkWaits_FewerRun()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { ThreadGroups = 2, Oversubscribe = 1, StallLimit = s_never });
        using var items = new BlockedItems(pool, classes: 1, items: 12);
        Eventually.Be(() => items.Running == 4, "two groups of two");

        pool.ThreadGroups = 1;

        Eventually.Be(() => Limit(pool) == 2, "one group of two");
    }

    [Fact]
    public void ThreadGroups_FewerOfTheElasticPart_FewerRunThere()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { ThreadGroups = 2, Oversubscribe = 1, StallLimit = s_never });
        using var items = new BlockedItems(pool.Elastic, classes: 1, items: 12);
        Eventually.Be(() => items.Running == 4, "two groups of two");

        pool.Elastic.ThreadGroups = 1;

        Eventually.Be(() => Limit(pool.Elastic) == 2, "one group of two");
    }

    [Fact]
    public void Resize_BelowWhatThePresetBeginsWith_IsNoError()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Preset = PoolPreset.DatabaseCompatible });

        pool.Resize(1, 2);

        Eventually.End(pool.Run(() => { }), "it runs on");
        pool.GetSnapshot().MaxThreads.ShouldBe(2);
    }

    [Fact]
    public void Create_DatabaseCompatible_RunsBackgroundWorkToo()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Preset = PoolPreset.DatabaseCompatible });

        Eventually.End(pool.Elastic.Run(() => { }), "the elastic part has the same options");
        Eventually.End(pool.Run(() => { }), "as the pool");
        pool.ThreadGroups.ShouldBe(Environment.ProcessorCount);
    }

    [Fact]
    public void Decide_ItemsThatBurn_AreCappedAllTheSame()
    {
        var settings = new ClassSizeSettings { StartLimit = 8, MaxLimit = 100 };
        var policy = new ClassSizePolicy(settings, new GroupSizeController("groups", static () => 8));
        var script = new ScriptedClass { Limit = 8, BlockedShare = 0.01, OwnCores = 2, IdleCores = 0 };
        for (int i = 0; i < 2_000; i++)
        {
            script.Complete(0.01, items: 2, service: 0.04);
            script.Limit = policy.Decide(script.Observation, script.Machine).Limit;
        }

        script.Limit.ShouldBe(3);
    }

    [Theory]
    [InlineData(1, 1, 100, 2)]
    [InlineData(128, 3, 32_767, 512)]
    [InlineData(128, 3, 100, 100)]
    [InlineData(4_096, 1_000, 32_767, 32_767)]
    public void Size_GroupsTimesOneMore_WithinTheMost(int groups, int oversubscribe, int maxThreads, int size) =>
        GroupSizeController.Size(groups, oversubscribe, maxThreads).ShouldBe(size);

    private static int Limit(AdaptiveThreadPool pool) => pool.GetClass("blocked 0").GetSnapshot().Limit;
}
