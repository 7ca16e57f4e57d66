using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Dispatch;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Diagnostics;

public sealed class PoolMetricsTests
{
    [Fact]
    public void Count_Decision_IsCountedByPoolClassAndReason()
    {
        var seen = new List<string>();
        using MeterListener listener = Listen(seen);
        using var pool = new AdaptiveThreadPool();
        using var metrics = new PoolMetrics("counted", pool);
        metrics.Count(new ControllerTrace { ClassName = "partner", Reason = DecisionReason.InvalidSample });
        metrics.Count(new ControllerTrace { Reason = DecisionReason.JumpUp });
        seen.ShouldBe(["1 counted/partner/InvalidSample", "1 counted//JumpUp"]);
    }

    [Fact]
    public async Task Run_OnAPool_CountsItsDecisions()
    {
        var seen = new List<string>();
        using MeterListener listener = Listen(seen);
        await using (var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "counted by a collector" }))
        {
            await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => pool.Run(() => Thread.Sleep(1))));
        }

        lock (seen)
        {
            seen.ShouldContain("1 counted by a collector/default/Initial");
        }
    }

    [Fact]
    public async Task Totals_OfAPoolThatHasEnded_AreToldUntilOneOfItsNameIsThere()
    {
        // A host ends its pools before its collector: what came after the last collection was never told.
        var seen = new List<long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, l) =>
            {
                if (instrument.Name == MetricNames.Completed)
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            if (Equals(tags[0].Value, "short job"))
            {
                seen.Add(value);
            }
        });
        listener.Start();
        var options = new AdaptivePoolOptions { Name = "short job" };
        await using (var pool = new AdaptiveThreadPool(options))
        {
            await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => pool.Run(() => { })));
        }

        listener.RecordObservableInstruments();
        listener.RecordObservableInstruments();
        seen.ShouldBe([10, 10]);

        await using var next = new AdaptiveThreadPool(options);
        listener.RecordObservableInstruments();
        seen.ShouldBe([10, 10, 0]);
    }

    [Fact]
    public void Gauges_AfterAListenerThatThrewAtOne_AreAllToldOfTheNextPool()
    {
        // A meter gets its gauges once: those after the one that the listener did not like were missing for as long as the process lived.
        using var factory = new OneMeter();
        var options = new AdaptivePoolOptions { Name = "after a fault", MeterFactory = factory };
        using (var faulty = new MeterListener())
        {
            faulty.InstrumentPublished = (instrument, _) =>
            {
                if (ReferenceEquals(instrument.Meter, factory.Meter) && instrument.Name == MetricNames.Threads)
                {
                    throw new InvalidOperationException("listener");
                }
            };
            faulty.Start();
            Should.Throw<InvalidOperationException>(() => new AdaptiveThreadPool(options)).Message.ShouldBe("listener");
        }

        var seen = new HashSet<string>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, l) =>
            {
                if (ReferenceEquals(instrument.Meter, factory.Meter))
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, _, _) => seen.Add(instrument.Name));
        listener.Start();
        using var pool = new AdaptiveThreadPool(options);
        listener.RecordObservableInstruments();
        seen.ShouldContain(MetricNames.Threads);
        seen.ShouldContain(MetricNames.Completed);
        seen.ShouldContain(MetricNames.KickUps);
    }

    [Fact]
    public void Create_WhileAListenerDoesNotReturn_MakesOtherPools()
    {
        // Listeners were told under a lock that all pools of the process take. And the instruments after the one that is told of were missing.
        using var told = new OneMeter();
        var names = new ConcurrentDictionary<string, bool>();
        using var other = new OneMeter();
        using var entered = new ManualResetEventSlim();
        using var open = new ManualResetEventSlim();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (ReferenceEquals(instrument.Meter, told.Meter) && names.TryAdd(instrument.Name, true) && instrument.Name == MetricNames.Threads)
                {
                    entered.Set();
                    open.Wait();
                }
            },
        };
        listener.Start();
        var held = Task.Factory.StartNew(
            () => new AdaptiveThreadPool(new AdaptivePoolOptions { MeterFactory = told }).Dispose(), TaskCreationOptions.LongRunning);
        bool isTold = entered.Wait(Eventually.Patience);
        var free = Task.Factory.StartNew(
            () =>
            {
                new AdaptiveThreadPool(new AdaptivePoolOptions { MeterFactory = other }).Dispose();
                new AdaptiveThreadPool(new AdaptivePoolOptions { MeterFactory = told }).Dispose();
            },
            TaskCreationOptions.LongRunning);
        bool isFree = free.Wait(Eventually.Patience);
        bool isComplete = names.ContainsKey(MetricNames.KickUps);
        open.Set();
        Task.WaitAll(held, free);
        (isTold, isFree, isComplete).ShouldBe((true, true, true));
    }

    [Fact]
    public async Task Gauges_OfTwoPoolsOfOneName_AreOfTwoNames()
    {
        // The default name, twice: a collector takes two numbers with the same tags for one, and keeps the last.
        using var factory = new OneMeter();
        using var gates = new OneMeter();
        var seen = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, l) =>
            {
                bool isOurs = ReferenceEquals(instrument.Meter, factory.Meter) || ReferenceEquals(instrument.Meter, gates.Meter);
                if (isOurs && (instrument.Name is MetricNames.Completed or MetricNames.GateLimit))
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) => seen.Add($"{tags[0].Value} {value}"));
        listener.Start();
        string[] Read()
        {
            seen.Clear();
            listener.RecordObservableInstruments();
            return [.. seen];
        }

        var gate = new TransactionGateOptions { Adaptive = true, MeterFactory = gates };
        using var firstGate = new TransactionGate(gate);
        using var secondGate = new TransactionGate(gate);
        var options = new AdaptivePoolOptions { MeterFactory = factory };
        var first = new AdaptiveThreadPool(options);
        await using var second = new AdaptiveThreadPool(options);
        await first.Run(() => { });
        await first.DisposeAsync();
        Read().ShouldBe(["default-2 0", "default 1", "default 4", "default-2 4"], ignoreOrder: true);

        await using var third = new AdaptiveThreadPool(options);
        Read().ShouldBe(["default 0", "default-2 0", "default 4", "default-2 4"], ignoreOrder: true);
    }

    [Fact]
    public async Task Gauges_OfALivePool_TellItsThreadsAndEndWithIt()
    {
        var seen = new Dictionary<string, long>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, l) =>
            {
                if (instrument.Meter.Name == MetricNames.Meter && instrument.IsObservable)
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (Equals(tags[0].Value, "gauged"))
            {
                seen[instrument.Name] = value;
            }
        });
        listener.Start();
        await using (var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "gauged", MaxThreads = 1 }))
        {
            using (var gate = new WorkerGate(pool.Factory, 1))
            {
                Task waiting = pool.Run(() => { });
                Eventually.Be(pool, s => s is { Blocked: 1, Queued: 1 }, "one item blocks and one waits");
                var expected = new Dictionary<string, long>(StringComparer.Ordinal)
                {
                    [MetricNames.Threads] = 1,
                    [MetricNames.IdleThreads] = 0,
                    [MetricNames.BlockedThreads] = 1,
                    [MetricNames.Queued] = 1,
                    [MetricNames.Completed] = 0,
                    [MetricNames.Stalls] = 0,
                    [MetricNames.Throttles] = 0,
                    [MetricNames.Steals] = 0,
                    [MetricNames.Borrows] = 0,
                    [MetricNames.HeldBack] = 0,
                    [MetricNames.KickUps] = 0,
                };

                // Again and again: before it blocks, the event that the item waits for spins, and sleeps in between.
                Eventually.Be(
                    () =>
                    {
                        seen.Clear();
                        listener.RecordObservableInstruments();
                        seen.Remove(MetricNames.Waits);
                        bool countsWakes = seen.Remove(MetricNames.Wakes, out long wakes) & seen.Remove(MetricNames.UselessWakes, out long useless);
                        return countsWakes && useless <= wakes && seen.Count == expected.Count && !seen.Except(expected).Any();
                    },
                    "the gauges tell what the pool does");
            }
        }

        seen.Clear();
        listener.RecordObservableInstruments();
        string[] gauges = [MetricNames.Threads, MetricNames.IdleThreads, MetricNames.BlockedThreads, MetricNames.Queued];
        seen.Keys.Intersect(gauges).ShouldBeEmpty("a pool that has ended has no threads and no queue");
        seen[MetricNames.Completed].ShouldBe(2);
    }

    private static MeterListener Listen(List<string> seen)
    {
        var listener = new MeterListener { InstrumentPublished = static (instrument, l) => Enable(instrument, l) };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            string line = $"{count} {string.Join('/', tags.ToArray().Select(tag => tag.Value))}";
            if (line.Contains("counted", StringComparison.Ordinal))
            {
                lock (seen)
                {
                    seen.Add(line);
                }
            }
        });
        listener.Start();
        return listener;
    }

    private static void Enable(Instrument instrument, MeterListener listener)
    {
        if (instrument is { Name: MetricNames.Decisions, Meter.Name: MetricNames.Meter })
        {
            listener.EnableMeasurementEvents(instrument);
        }
    }

    private sealed class OneMeter : IMeterFactory
    {
        public Meter Meter { get; } = new(MetricNames.Meter);

        public Meter Create(MeterOptions options) => Meter;

        public void Dispose() => Meter.Dispose();
    }
}
