using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.RegularExpressions;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>What databases show of their thread pools: groups, queues, statistics, waits.</summary>
public sealed class PoolStatusTests : PoolTest
{
    [Fact]
    public void QueuedItems_WorkOfEachKind_OneRowForEach()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        pool.ThreadGroups = 2;
        WorkClass work = pool.GetClass("work");
        using (new WorkerGate(pool.Factory, 1))
        {
            Task[] items =
            [
                work.Run(() => { }), work.Run(() => { }, WorkPriority.High), work.Run(() => { }, WorkPriority.Low), work.Run(() => { }, WorkPriority.Low),
                work.RunFor("customer", static () => Task.CompletedTask), work.RunRouted(3, () => { }),
            ];
            work.UnsafeQueueRootWork(new Marked());

            PoolSnapshot snapshot = pool.GetSnapshot(100);

            snapshot.QueuedItems.Select(static row => (row.ClassName, row.Priority, row.Tenant, row.Group, row.Position, row.Item)).ShouldBe(
                [
                    ("work", WorkPriority.High, null, null, 0, "Task"),
                    ("work", WorkPriority.Normal, null, null, 0, "Task"),
                    ("work", WorkPriority.Normal, null, null, 1, typeof(Marked).FullName!),
                    ("work", WorkPriority.Normal, "customer", null, 0, "function"),
                    ("work", WorkPriority.Normal, null, 1, 0, "Task"),
                    ("work", WorkPriority.Low, null, null, 0, "Task"),
                    ("work", WorkPriority.Low, null, null, 1, "Task"),
                ]);
            snapshot.Groups[1].Queued.ShouldBe(1);
            pool.GetSnapshot(2).QueuedItems.Count.ShouldBe(2);
            pool.GetSnapshot().QueuedItems.ShouldBeEmpty();
        }
    }

    [Fact]
    public void QueuedItems_ThatHaveBeenSeen_HaveAnAge()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using (new WorkerGate(pool.Factory, 1))
        {
            Task item = pool.GetClass("work").Run(() => { }, WorkPriority.Low);
            Eventually.Be(() => pool.GetSnapshot(1).QueuedItems[0].Age > TimeSpan.Zero, "the sizing thread sees what waits");

            pool.GetClass("bounded").MaxQueueTime = TimeSpan.FromHours(1);
            pool.GetClass("bounded").UnsafeQueueRootWork(new Marked());
            QueuedItemSnapshot row = pool.GetSnapshot(9).QueuedItems.Single(static row => row.ClassName == "bounded");
            (row.Item, row.Age is null).ShouldBe((typeof(Marked).FullName!, false), "who has a bound knows since when");
        }
    }

    [Fact]
    public void QueuedItems_HaveRun_AreKeptByNobody()
    {
        // Nothing is queued to these classes afterwards: the framework's queue lets go of what was read when its next item has gone.
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        List<WeakReference> items = RunWhatWasRead(pool);
        Eventually.Be(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return items.TrueForAll(static item => !item.IsAlive);
            },
            "the queues keep no item that has run");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> RunWhatWasRead(AdaptiveThreadPool pool)
    {
        List<WeakReference> items = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            Marked Item()
            {
                var item = new Marked();
                items.Add(new WeakReference(item));
                return item;
            }

            WorkClass weighted = pool.GetClass("weighted");
            weighted.Weight = 2;
            foreach (WorkClass work in new[] { pool.DefaultClass, pool.GetClass("work"), weighted })
            {
                work.UnsafeQueueRootWork(Item());
                work.UnsafeQueueRootWork(Item(), WorkPriority.High);
                work.UnsafeQueueRootWork(Item(), WorkPriority.Low);
                work.UnsafeQueueUserWorkItemFor("customer", Item());
                work.UnsafeQueueUserWorkItemRouted(3, Item());
            }

            pool.GetSnapshot(100).QueuedItems.Count.ShouldBe(items.Count);
        }

        Eventually.Be(pool, static it => it.Queued == 0, "all have run");
        return items;
    }

    [Fact]
    public void GetSnapshot_ManyClassesWithoutWork_MakesOneSmallObjectForEach()
    {
        const int Classes = 1_000;
        const int Most = 320;
        AdaptiveThreadPool pool = CreatePool();
        for (int i = 0; i < Classes; i++)
        {
            pool.GetClass($"class {i}");
        }

        Allocation.Of(() => pool.GetSnapshot(100)).ShouldBeLessThan(Classes * Most);
    }

    [Fact]
    public void GetSnapshot_FewerThanNone_IsRefused() =>
        Should.Throw<ArgumentOutOfRangeException>(() => CreatePool().GetSnapshot(-1)).ParamName.ShouldBe("mostQueuedItems");

    [Fact]
    public void LongWait_ItemsThatWaited_IsToldByPriority()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass work = pool.GetClass("work");
        Task low;
        using (new WorkerGate(pool.Factory, 1))
        {
            low = work.Run(() => { }, WorkPriority.Low);
            Eventually.Be(() => pool.GetSnapshot(1).QueuedItems[0].Age > TimeSpan.FromMilliseconds(30), "it waits");
        }

        Eventually.End(low);
        Eventually.Be(() => work.GetSnapshot().LongWait.GetValueOrDefault(WorkPriority.Low) > TimeSpan.FromMilliseconds(10), "it has waited");
        work.GetSnapshot().MedianWait[WorkPriority.Low].ShouldBe(work.GetSnapshot().LongWait[WorkPriority.Low]);
        work.GetSnapshot().LongWait.Keys.ShouldNotContain(WorkPriority.High);
        work.GetSnapshot().WaitHistogram[WorkPriority.Low].Single().Key.ShouldBe(work.GetSnapshot().LongWait[WorkPriority.Low]);
        using (JsonDocument json = Json(pool))
        {
            string wait = Regex.Escape($"{work.GetSnapshot().LongWait[WorkPriority.Low]:c}");
            json.RootElement.GetRawText().ShouldMatch($"\"waitHistogram\":\\{{\"[Ll]ow\":\\{{\"{wait}\":1\\}}");
        }

        Seen(pool.Name, MetricNames.QueueWait).ShouldContain($"{pool.Name}/work/Low/0.99");
        Seen(pool.Name, MetricNames.Starved).ShouldContain($"{pool.Name}/work");

        pool.ResetStatistics();

        work.GetSnapshot().LongWait.ShouldBeEmpty();
        work.GetSnapshot().WaitHistogram.ShouldBeEmpty();
    }

    [Fact]
    public void LongWait_NormalWorkOnly_SaysNothingOfOtherPriorities()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass work = pool.GetClass("work");
        Task item;
        using (new WorkerGate(pool.Factory, 1))
        {
            item = work.Run(() => { });
            Eventually.Be(pool, static s => s.OldestWait > TimeSpan.Zero, "it waits");
        }

        Eventually.End(item);
        Eventually.Be(() => work.GetSnapshot().LongWait.Count > 0, "it has waited");
        work.GetSnapshot().LongWait.Keys.ShouldBe([WorkPriority.Normal]);
    }

    [Fact]
    public void Statistics_AfterAReset_BeginAnew()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            ThreadCreationThrottle = new Dictionary<int, TimeSpan> { [2] = TimeSpan.FromSeconds(60) },
            Sizing = PoolSizing.Fixed(16),
        });
        Task[] items = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(() => Thread.Sleep(1)))];
        Array.ForEach(items, static item => Eventually.End(item));
        Eventually.Be(
            pool,
            static s => s.Statistics is { Completed: 50, Throttles: > 0, ThreadsCreated: 2 } && s.Idle == s.Existing,
            "the work is counted, and the next item wakes somebody");
        pool.GetSnapshot().Statistics.Elapsed.ShouldBeGreaterThan(TimeSpan.Zero);

        pool.ResetStatistics();

        PoolSnapshot after = pool.GetSnapshot();
        after.Statistics.Completed.ShouldBe(0);
        after.Statistics.ThreadsCreated.ShouldBe(0);
        after.Completed.ShouldBe(50, "what is not a statistic goes on");
        Eventually.End(pool.Run(() => { }));
        Eventually.Be(pool, static s => s.Statistics is { Completed: 1, ThreadsCreated: 0, Wakes: > 0 }, "only what is new counts");
    }

    [Fact]
    public void Stalls_NothingCompletes_AreCounted()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { ThreadGroups = 1, Oversubscribe = 1, StallLimit = TimeSpan.FromMilliseconds(10) });
        using (new BlockedItems(pool, classes: 1, items: 6))
        {
            Eventually.Be(pool, static s => s.Statistics.Stalls > 0, "threads were lent");
        }
    }

    [Fact]
    public void Borrows_WorkOfAnotherGroup_AreCounted()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        pool.ThreadGroups = 2;
        Task[] items = [.. Enumerable.Range(0, 8).Select(route => pool.GetClass("routed").RunRouted(route, () => { }))];
        Array.ForEach(items, static item => Eventually.End(item));

        pool.GetSnapshot().Statistics.Borrows.ShouldBe(4, "the only worker is in the group of the even routes");
    }

    [Fact]
    public void Steals_WorkBehindAnItemThatRunsOn_AreCounted()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        int left = 2;
        Eventually.End(pool.Run(() =>
        {
            Task[] inner = [.. Enumerable.Range(0, 2).Select(_ => pool.Run(() => { Interlocked.Decrement(ref left); }))];

            // Without a wait, which would give them to everybody.
            while (Volatile.Read(ref left) > 0)
            {
                Thread.SpinWait(100);
            }
        }));

        pool.GetSnapshot().Statistics.Steals.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void IsStalled_RoutedWorkBehindThreadsThatBlock_IsTold()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        pool.ThreadGroups = 2;
        using (new WorkerGate(pool.Factory, 1))
        {
            Task even = pool.GetClass("routed").RunRouted(0, () => { });
            Eventually.Be(pool, static s => s.Groups[0].IsStalled, "all threads of the group block");
            pool.GetSnapshot().Groups[0].ShouldSatisfyAllConditions(
                static group => group.Idle.ShouldBe(0), static group => group.Active.ShouldBe(1), static group => group.Queued.ShouldBe(1));
            pool.GetSnapshot().Groups[1].IsStalled.ShouldBeFalse("nothing waits for it");
            Seen(pool.Name, MetricNames.GroupQueued).ShouldBe([$"{pool.Name}/0", $"{pool.Name}/1"]);
        }
    }

    [Fact]
    public void Waits_ItemsThatBlockForLong_AreCountedByReason()
    {
        AdaptiveThreadPool pool = CreateFixedPool(1);
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() => { open.Wait(); });

        // One that is seen early and ends before 20 ms need not be counted.
        Eventually.Be(() => pool.GetBlockers().Any(static blocker => blocker.Blocked == 1 && blocker.LongestTime >= TimeSpan.FromMilliseconds(100)),
            "a long wait is looked at");
        open.Set();
        Eventually.End(item);

        Eventually.Be(pool, static s => s.Waits.Values.Sum() > 0, "it is counted when it has ended");
        Seen(pool.Name, MetricNames.Waits).ShouldBe(pool.GetSnapshot().Waits.Keys.Select(reason => $"{pool.Name}/{reason}"), ignoreOrder: true);
    }

    [Fact]
    public void WriteJson_PoolWithWork_CanBeReadBack()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using (new WorkerGate(pool.Factory, 1))
        {
            Task item = pool.GetClass("work").Run(() => { }, WorkPriority.Low);
            using JsonDocument json = Json(pool);
            JsonElement root = json.RootElement;
            root.GetProperty("name").GetString().ShouldBe(pool.Name);
            root.GetProperty("groups")[0].GetProperty("threads").GetInt32().ShouldBe(1);
            root.GetProperty("queuedItems")[0].GetProperty("priority").GetString().ShouldBe("Low");
            root.GetProperty("statistics").GetProperty("steals").GetInt64().ShouldBe(0);
            root.GetProperty("workers")[0].GetProperty("state").GetString().ShouldNotBeNullOrEmpty();
            root.GetProperty("classes").EnumerateArray().Select(static c => c.GetProperty("name").GetString()).ShouldContain("work");
            root.TryGetProperty("waits", out _).ShouldBeTrue();
        }

        Should.Throw<ArgumentNullException>(() => pool.WriteJson(null!));
    }

    private static JsonDocument Json(AdaptiveThreadPool pool)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream))
        {
            pool.WriteJson(writer, 10);
        }

        return JsonDocument.Parse(stream.ToArray());
    }

    /// <summary>The tags of each measurement of one instrument.</summary>
    private static List<string> Seen(string poolName, string instrumentName)
    {
        List<string> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, l) =>
            {
                if (instrument.Meter.Name == MetricNames.Meter && instrument.Name == instrumentName)
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => Add(tags));
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) => Add(tags));
        listener.Start();
        listener.RecordObservableInstruments();
        return seen;

        void Add(ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (Equals(tags[0].Value, poolName))
            {
                seen.Add(string.Join('/', tags.ToArray().Select(static tag => tag.Value)));
            }
        }
    }

    private sealed class Marked : IThreadPoolWorkItem
    {
        public void Execute()
        {
            // Only its type counts.
        }
    }
}
