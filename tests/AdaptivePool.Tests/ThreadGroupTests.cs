using AdaptivePool.Dispatch;
using AdaptivePool.Groups;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests;

public sealed class ThreadGroupTests : PoolTest
{
    /// <summary>Two nodes, of which each has one of the first two processors.</summary>
    private static readonly CpuTopology s_twoNodes = new([new CpuNode(0, [0]), new CpuNode(4, [1])], null);

    private static int Most => 2 * Environment.ProcessorCount;

    [Fact]
    public void Groups_OfAPoolThatSaysNothing_AreTheNodes()
    {
        CreatePool().ThreadGroups.ShouldBe(Math.Min(Most, CpuTopology.Machine.Nodes.Count));
        CreatePool(new AdaptivePoolOptions(), Surroundings(s_twoNodes)).ThreadGroups.ShouldBe(2);
    }

    [Fact]
    public void Groups_TopologyIsNotUnderstood_IsOneWithAWarning()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), Surroundings(new CpuTopology([new CpuNode(0, [0])], "node0 is nonsense")));
        List<string> told = [];
        pool.Warned += (_, message) => told.Add(message);
        (pool.ThreadGroups, told).ShouldBe((1, told));
        told.ShouldContain("node0 is nonsense");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MaxValue)]
    [InlineData(5_000)]
    public void Groups_OutOfRange_AreRefused(int groups)
    {
        AdaptiveThreadPool pool = CreatePool();
        Should.Throw<ArgumentOutOfRangeException>(() => pool.ThreadGroups = groups).Message.ShouldContain(nameof(AdaptivePoolOptions.ThreadGroups));
        Should.Throw<ArgumentOutOfRangeException>(() => new AdaptiveThreadPool(new AdaptivePoolOptions { ThreadGroups = groups }));
    }

    [Fact]
    public void Groups_MoreThanTwiceTheProcessors_AreRefusedWithThatNumber()
    {
        var options = new AdaptivePoolOptions { ThreadGroups = Most + 1 };
        options.FindErrors().ShouldHaveSingleItem().ShouldContain($"1 to {Most}");
        options.ThreadGroups = Most;
        CreatePool(options).ThreadGroups.ShouldBe(Most);
    }

    [Fact]
    public void Groups_ChangedUnderLoad_NothingIsLostOrRunsTwice()
    {
        const int Changes = 1_000;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(6) });
        WorkClass target = pool.GetClass("routed");
        var runs = new int[3 * Changes];
        using var left = new CountdownEvent(runs.Length);
        int[] counts = [1, 8, 2];
        for (int i = 0; i < runs.Length; i++)
        {
            // More groups than the property allows on a small machine.
            pool.Set.Idle.SetGroups(counts[i % counts.Length]);
            int number = i;
            var item = new CallbackItem(() =>
            {
                Interlocked.Increment(ref runs[number]);
                left.Signal();
            });
            if (i % 4 == 0)
            {
                target.UnsafeQueueRootWork(item);
            }
            else
            {
                target.UnsafeQueueUserWorkItemRouted(i * 7, item);
            }
        }

        Eventually.Zero(left, "all have run");
        runs.ShouldAllBe(static run => run == 1);
    }

    [Fact]
    public void RunRouted_OneWorkerAndManyRoutes_AllRun()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        pool.ThreadGroups = Most;
        WorkClass target = pool.GetClass("routed");
        Task[] items = [.. Enumerable.Range(-20, 100).Select(route => target.RunRouted(route, static async () => await Task.Yield()))];
        foreach (Task item in items)
        {
            Eventually.End(item);
        }
    }

    [Fact]
    public void RunRouted_OtherGroupHasABacklog_IdleThreadsTakeIt()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(4), ThreadGroups = 2 });
        WorkClass target = pool.GetClass("routed");

        // Each needs the other three, and all belong to one group.
        using var together = new Barrier(4);
        Task[] items = [.. Enumerable.Range(0, 4).Select(_ => target.RunRouted(1, () => together.SignalAndWait(Eventually.Patience).ShouldBeTrue()))];
        foreach (Task item in items)
        {
            Eventually.End(item);
        }
    }

    /// <summary>As what Run starts: no other thread comes.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RunRouted_TheOnlyThreadWaitsForIt_RunsThere(bool isOfOtherClass)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = isOfOtherClass ? pool.GetClass("routed") : pool.DefaultClass;
        Eventually.Result(pool.Run(() => target.RunRouted(1, static () => 7).Result)).ShouldBe(7);
        Eventually.End(pool.Run(() => target.RunRouted(1, static () => { }).Wait()));
    }

    [Fact]
    public void RunRouted_TheQueueIsFull_IsRefusedAsOtherWorkIs()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("routed");
        target.MaxQueued = 2;
        using (new WorkerGate(pool.Factory, 1))
        {
            Task[] items = [.. Enumerable.Range(0, 5).Select(i => target.RunRouted(i, static () => { }))];
            items.Count(static item => item.IsFaulted).ShouldBe(3);
        }
    }

    [Fact]
    public void RunRouted_NothingToRun_IsRefused()
    {
        WorkClass target = CreatePool().GetClass("routed");
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Action)null!));
        Should.Throw<ArgumentNullException>(() => target.RunRouted(1, (Func<Task>)null!));
        Should.Throw<ArgumentNullException>(() => target.UnsafeQueueUserWorkItemRouted(1, null!));
    }

    [Fact]
    public void RunRouted_BesideOtherPriorities_AllRun()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass target = pool.GetClass("routed");
        List<Task> items = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            for (int i = 0; i < 50; i++)
            {
                items.Add(target.RunRouted(i, static () => { }));
                items.Add(target.Run(static () => { }, (WorkPriority)(i % 3)));
                items.Add(target.RunFor($"{i % 5}", static () => { }));
            }

            pool.GetSnapshot().Groups.Sum(static group => group.Queued).ShouldBe(50);
        }

        items.ForEach(static item => Eventually.End(item));
    }

    [Fact]
    public void GetSnapshot_TwoGroups_HasBothWithTheirThreads()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(4), ThreadGroups = 2 });
        using (new WorkerGate(pool.Factory, 4))
        {
            ThreadGroupSnapshot[] groups = [.. pool.GetSnapshot().Groups];
            groups.Select(static group => (group.Number, group.Node)).ShouldBe([(0, null), (1, null)]);
            groups.Sum(static group => group.Active).ShouldBe(4);
            groups.ShouldAllBe(static group => group.Threads >= 2);
        }
    }

    [Fact]
    public void NodeAffinity_BindsThreadsToTheProcessorsOfTheirGroup()
    {
        if (!ThreadPin.IsSupported || !CpuTopology.Machine.Nodes.SelectMany(static node => node.Processors).Intersect([0, 1]).SequenceEqual([0, 1]))
        {
            // Nothing to bind to.
            return;
        }

        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(4), NodeAffinity = true }, Surroundings(s_twoNodes));
        using var running = new CountdownEvent(4);
        Task<(int Group, string Processors)>[] items =
        [
            .. Enumerable.Range(0, 4).Select(_ => pool.Run(() =>
            {
                running.Signal();
                running.Wait(Eventually.Patience);
                string status = File.ReadAllText("/proc/thread-self/status");
                string line = status.Split('\n').Single(static it => it.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
                return (Worker.Current!.Group, line.Split(':')[1].Trim());
            })),
        ];
        foreach (Task<(int Group, string Processors)> item in items)
        {
            Eventually.End(item);
            item.Result.Processors.ShouldBe(item.Result.Group == 0 ? "0" : "1");
        }

        pool.GetSnapshot().Groups.Select(static group => group.Node).ShouldBe([0, 4]);
    }

    /// <summary>The part was not finished when the handlers of its pool were told, and a handler that asked for it made another one.</summary>
    [Fact]
    public void Warned_ByThePartWhileItIsMade_IsToldWhenItIsThere()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), Surroundings(s_twoNodes with { Problem = "no answer" }));
        int own = 0;
        bool? isThere = null;
        pool.Warned += (sender, message) =>
        {
            if (message != "no answer" || ReferenceEquals(sender, pool))
            {
                own++;
                return;
            }

            if (isThere is null)
            {
                isThere = false;
                isThere = ReferenceEquals(pool.Elastic, sender) && pool.Elastic.GetSnapshot().Existing >= 0;
            }
        };

        _ = pool.Elastic;
        own.ShouldBeGreaterThan(0);
        isThere.ShouldBe(true);
        pool.GetSnapshot().Faulted.ShouldBe(0);
    }

    private PoolSurroundings Surroundings(CpuTopology topology) => new() { Budget = Budget, RuntimePool = null, Topology = () => topology };
}
