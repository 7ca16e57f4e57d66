using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Simulation.Replay;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateAdaptiveTests
{
    [Theory]
    [InlineData(0, 1, 4)]
    [InlineData(0, 8, 8)]
    [InlineData(24, 1, 24)]
    [InlineData(64, 1, 32)]
    [InlineData(1_000, 1, 32)]
    [InlineData(1_000, 50, 50)]
    public void Create_Adaptive_BeginsLowOrWhereItIsToldButNotHigh(int limit, int lowest, int begins)
    {
        using var test = new TestGate(limit, o => (o.Adaptive, o.MinLimit) = (true, lowest));
        test.Gate.PermitLimit.ShouldBe(begins);
        test.Gate.GetSnapshot().Adaptive.ShouldNotBeNull().Wanted.ShouldBe(begins);
    }

    [Fact]
    public void Create_NotAdaptive_HasNothingToTell()
    {
        using var test = new TestGate(4);
        test.Gate.GetSnapshot().Adaptive.ShouldBeNull();
        test.Gate.Core.LimitLoop.ShouldBeNull();
    }

    [Fact]
    public void Look_NobodyCame_SleepsForGood()
    {
        using var test = new TestGate(4, static o => o.Adaptive = true);
        test.Gate.Core.LimitLoop!.Look().ShouldBeNull();
        test.Enter().Dispose();
        test.Gate.Core.LimitLoop!.Look().ShouldNotBeNull();
        test.Clock.Advance(TimeSpan.FromSeconds(1));
        test.Gate.Core.LimitLoop!.Look().ShouldBeNull();
    }

    // On the gate's thread it ended the process.
    [Fact]
    public void Look_Fails_IsToldOnceAndTheNextOneLooks()
    {
        using var test = new TestGate(4, static o => o.Adaptive = true);
        List<string> told = [];
        test.Gate.Warned += (_, message) => told.Add(message);
        int limit = test.Gate.PermitLimit;
        for (int i = 0; i < 2; i++)
        {
            test.Enter().Dispose();
            test.Clock.Asked = static () => throw new FileNotFoundException("the reason");
            test.Gate.Core.LimitLoop!.Look().ShouldNotBeNull();
        }

        told.ShouldHaveSingleItem().ShouldContain("the reason");
        test.Gate.PermitLimit.ShouldBe(limit);
        new ClosedLoop(test, CostCurve.Postgres).Run(looks: 300);
        test.Gate.GetSnapshot().Adaptive!.Changes.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Look_UnderLoad_ChangesTheLimitWithinItsBoundsAndTellsWhy()
    {
        using var test = new TestGate(8, static o => (o.Adaptive, o.MinLimit, o.MaxLimit) = (true, 4, 12));
        List<ControllerTrace> changes = [];
        test.Gate.LimitChanged += (_, change) => changes.Add(change);
        new ClosedLoop(test, CostCurve.Postgres).Run(looks: 300);

        changes.ShouldNotBeEmpty();
        changes.ShouldAllBe(static c => c.To >= 4 && c.To <= 12 && c.From != c.To);
        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Changes, state.IsMonitorOnly).ShouldBe((changes.Count, false));
        state.Wanted.ShouldBe(test.Gate.PermitLimit);
        state.PerSecond.ShouldBeGreaterThan(1_000);
        state.State.ShouldNotBeEmpty();
    }

    [Fact]
    public void Look_MonitorOnly_LeavesTheLimitAloneAndTellsWhatItWouldBe()
    {
        using var test = new TestGate(0, static o => (o.Adaptive, o.AdaptiveMonitorOnly) = (true, true));
        List<ControllerTrace> changes = [];
        test.Gate.LimitChanged += (_, change) => changes.Add(change);
        var loop = new ClosedLoop(test, CostCurve.Postgres);
        foreach (int clients in new[] { 4, 8, 16, 64, 4, 8, 16, 64 })
        {
            loop.Clients = clients;
            loop.Run(looks: 6);
        }

        test.Gate.PermitLimit.ShouldBe(0);
        changes.ShouldNotBeEmpty();
        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        state.IsMonitorOnly.ShouldBeTrue();
        state.Wanted.ShouldBeInRange(3, 20);
        state.WouldWait.ShouldBeGreaterThan(20);
    }

    /// <summary>Of a hundred inside forty fail. It named 64, the sixty that did not.</summary>
    [Fact]
    public void Look_MonitorOnly_CountsThoseThatFailAmongThoseInside()
    {
        using var test = new TestGate(0, static o => (o.Adaptive, o.AdaptiveMonitorOnly) = (true, true));
        for (int look = 0; look < 5; look++)
        {
            List<TransactionLease> inside = [.. Enumerable.Range(0, 100).Select(_ => test.Enter())];
            test.Clock.Advance(TimeSpan.FromSeconds(1));
            inside.Take(40).ToList().ForEach(static lease => lease.HasFailed = true);
            inside.ForEach(static lease => lease.Dispose());
            test.Gate.Core.LimitLoop!.Look();
        }

        test.Gate.GetSnapshot().Adaptive!.Wanted.ShouldBeInRange(90, 110);
    }

    [Fact]
    public void Limit_SetByHandBetweenTwoLooks_IsAdopted()
    {
        using var test = new TestGate(8, static o => o.Adaptive = true);
        var loop = new ClosedLoop(test, CostCurve.Postgres);
        loop.Run(looks: 5);
        test.Gate.PermitLimit = 40;
        loop.Run(looks: 1);
        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Reason, state.Verified).ShouldBe((DecisionReason.ManualResize, 40));

        test.Gate.PermitLimit = 0;
        loop.Run(looks: 20);
        test.Gate.PermitLimit.ShouldBe(0);
    }

    [Fact]
    public void TryChangeLimit_SomebodyWasFaster_LeavesHisAlone()
    {
        using var test = new TestGate(8, static o => o.Adaptive = true);
        test.Gate.PermitLimit = 40;
        test.Gate.Core.SetLimit(9, expected: 8).ShouldBeFalse();
        test.Gate.PermitLimit.ShouldBe(40);
    }

    [Fact]
    public void HasFailed_OnALease_CountsApart()
    {
        using var test = new TestGate(4, static o => o.Adaptive = true);
        TransactionLease failed = test.Enter();
        failed.HasFailed = true;
        failed.Dispose();
        test.Enter().Dispose();
        using (test.Gate.AttemptPass())
        {
        }

        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.Ended, state.Failed).ShouldBe((2, 1));
    }

    /// <summary>Nobody counts those that are turned away, so nothing says that the limit is what holds them back.</summary>
    [Fact]
    public void Look_PassesAlone_KeepsTheLimit()
    {
        using var test = new TestGate(1, static o => o.Adaptive = true);
        for (int i = 0; i < 100; i++)
        {
            for (int j = 0; j < 200; j++)
            {
                using TransactionPass pass = test.Gate.AttemptPass();
                pass.IsAcquired.ShouldBeTrue();
                test.Gate.AttemptPass().IsAcquired.ShouldBeFalse();
            }

            test.Clock.Advance(TimeSpan.FromMilliseconds(100));
            test.Gate.Core.LimitLoop!.Look();
        }

        test.Gate.PermitLimit.ShouldBe(1);
        test.Gate.GetSnapshot().Adaptive!.Ended.ShouldBe(20_000);
    }

    [Fact]
    public void LimitChanged_HandlerThrows_IsCountedAndTheSearchGoesOn()
    {
        using var test = new TestGate(8, static o => o.Adaptive = true);
        int told = 0;
        test.Gate.LimitChanged += static (_, _) => throw new InvalidOperationException("handler");
        test.Gate.LimitChanged += (_, _) => told++;
        new ClosedLoop(test, CostCurve.Postgres).Run(looks: 300);
        AdaptiveLimitSnapshot state = test.Gate.GetSnapshot().Adaptive!;
        (state.HandlerFaults, told).ShouldBe((state.Changes, (int)state.Changes), "the handlers behind it are called");
        state.HandlerFaults.ShouldBeGreaterThan(1);
    }

    [Fact]
    public void DecisionLog_OfAGate_IsReplayedToTheLastBit()
    {
        string path = Path.GetTempFileName();
        try
        {
            using (var test = new TestGate(8, o => (o.Name, o.Adaptive, o.DecisionLogFile) = ("bank", true, path)))
            {
                new ClosedLoop(test, CostCurve.Postgres).Run(looks: 100);
            }

            using var log = new DecisionLogReader(new StringReader(File.ReadAllText(path)));
            DecisionReplayResult result = DecisionReplay.Run(log).ShouldHaveSingleItem();
            (result.ClassName, result.Difference).ShouldBe(("bank", null));
            result.Steps.ShouldBeGreaterThan(50);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void Create_MeterFactoryThrows_NothingOfTheGateIsLeft()
    {
        string path = Path.GetTempFileName();
        try
        {
            var fleet = new TestFleet();
            var options = new TransactionGateOptions { Adaptive = true, MaxLimit = 8, DecisionLogFile = path, Fleet = fleet, MeterFactory = new NoMeters() };
            Should.Throw<InvalidOperationException>(() => new TransactionGate(options)).Message.ShouldBe("no meters");
            fleet.Members.ShouldBe(0, "it has left the fleet");

            // The file is free for the next one.
            using (var test = new TestGate(8, o => (o.Adaptive, o.DecisionLogFile) = (true, path)))
            {
                new ClosedLoop(test, CostCurve.Postgres).Run(looks: 100);
            }

            using var log = new DecisionLogReader(new StringReader(File.ReadAllText(path)));
            DecisionReplay.Run(log).ShouldHaveSingleItem().Steps.ShouldBeGreaterThan(50);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void DecisionLog_SwitchedOffInTheOptionsOfTheSearch_IsNotWritten()
    {
        string path = Path.GetTempFileName();
        try
        {
            using (var test = new TestGate(8, o => (o.Adaptive, o.DecisionLogFile, o.HillClimbing) = (true, path, new() { LogEnabled = false })))
            {
                new ClosedLoop(test, CostCurve.Postgres).Run(looks: 10);
            }

            File.ReadAllText(path).ShouldBeEmpty();
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void Meter_OfAnAdaptiveGate_TellsLimitsAndDecisionsUntilItIsDisposed()
    {
        var seen = new ConcurrentDictionary<string, long>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, l) =>
            {
                if (instrument.Meter.Name == MetricNames.Meter)
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (Equals(tags[0].Value, "metered gate"))
            {
                seen.AddOrUpdate(instrument.Name, value, (_, before) => instrument.IsObservable ? value : before + value);
            }
        });
        listener.Start();
        using (var test = new TestGate(8, static o => (o.Name, o.Adaptive) = ("metered gate", true)))
        {
            new ClosedLoop(test, CostCurve.Postgres).Run(looks: 50);
            listener.RecordObservableInstruments();
            seen[MetricNames.GateLimit].ShouldBe(test.Gate.PermitLimit);
            seen[MetricNames.GateWantedLimit].ShouldBe(test.Gate.PermitLimit);
            seen[MetricNames.GateQueued].ShouldBeGreaterThan(0);
            seen[MetricNames.GateDecisions].ShouldBeGreaterThan(10);
        }

        seen.Clear();
        listener.RecordObservableInstruments();
        seen.ShouldBeEmpty();
    }

    [Fact]
    public async Task Watched_UnderLoad_SteersOnAThreadOfItsOwn()
    {
        using var gate = new TransactionGate(new TransactionGateOptions { Name = "steered", Adaptive = true, FlowsWithContext = false });
        var threads = new ConcurrentQueue<string?>();
        gate.LimitChanged += (_, _) => threads.Enqueue(Thread.CurrentThread.Name);
        using var done = new CancellationTokenSource();
        Task[] clients = [.. Enumerable.Range(0, 64).Select(_ => Task.Run(async () =>
        {
            while (!done.IsCancellationRequested)
            {
                using RateLimitLease lease = await gate.AcquireAsync();
                await Task.Delay(1);
            }
        }))];
        Eventually.Be(() => gate.GetSnapshot().Adaptive!.Changes > 0, "a loaded gate tries limits");
        await done.CancelAsync();
        await Task.WhenAll(clients).WaitAsync(Eventually.Patience);
        gate.GetSnapshot().Held.ShouldBe(0);
        Eventually.Be(() => !threads.IsEmpty, "a change is told after it is counted");
        threads.ShouldAllBe(static name => name == "steered gate limit");
    }

    /// <summary>A gate of 250 with 200 inside that stay, and short ones, of which so many have ended that it was cut to 63: those that wait are not let
    /// in.</summary>

    /// <summary>Clients in a closed loop through a gate on virtual time: each step is a few transactions of a database whose throughput depends on how many are
    /// inside.</summary>
    private sealed class ClosedLoop(TestGate test, CostCurve database)
    {
        private readonly Queue<Task<RateLimitLease>> _waits = [];
        private readonly Queue<TransactionLease> _inside = [];

        public int Clients { get; set; } = 64;

        public void Run(int looks)
        {
            for (int i = 0; i < looks; i++)
            {
                TimeSpan end = test.Gate.Core.Now + (test.Gate.Core.LimitLoop!.Look() ?? TimeSpan.FromMilliseconds(100));
                do
                {
                    Step();
                }
                while (test.Gate.Core.Now < end);
            }
        }

        private void Step()
        {
            while (_inside.Count + _waits.Count < Clients)
            {
                _waits.Enqueue(test.Ask());
            }

            while (_waits.TryPeek(out Task<RateLimitLease>? wait) && wait.IsCompleted)
            {
                _inside.Enqueue((TransactionLease)_waits.Dequeue().Result);
            }

            test.Clock.Advance(TimeSpan.FromSeconds(1 / database.Throughput(_inside.Count)));
            _inside.Dequeue().Dispose();
            if (_inside.Count + _waits.Count > Clients)
            {
                _inside.Dequeue().Dispose();
            }
        }
    }

    private sealed class NoMeters : IMeterFactory
    {
        public Meter Create(MeterOptions options) => throw new InvalidOperationException("no meters");

        public void Dispose()
        {
        }
    }
}
