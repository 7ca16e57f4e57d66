using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Balancing.Tests.Overload;

public sealed class OverloadMonitorTests
{
    [Fact]
    public void Read_WaitingRequests_HasTheAverageOfTheirWaits()
    {
        HandClock clock = new();
        QueueMeter meter = new(clock);
        TimeSpan first = meter.Arrive();
        clock.Pass(30);
        meter.Arrive();
        clock.Pass(10);
        meter.Read().AverageWait.ShouldBe(TimeSpan.FromMilliseconds(25));
        meter.Start(first);
        meter.Read().AverageWait.ShouldBe(TimeSpan.FromMilliseconds(10));
        meter.Read().Queued.ShouldBe(1);
        meter.InFlight.ShouldBe(2);
    }

    [Fact]
    public void Read_Empty_WaitsNothing() => new QueueMeter().Read().AverageWait.ShouldBe(TimeSpan.Zero);

    [Fact]
    public void Abandon_LeavesNothingBehind()
    {
        QueueMeter meter = new();
        meter.Abandon(meter.Arrive());
        meter.InFlight.ShouldBe(0);
        meter.Read().Arrived.ShouldBe(0);
    }

    [Fact]
    public void Look_ServedForLongerThanATimeSpanHolds_GoesOn()
    {
        QueueMeter meter = new(new HandClock());
        using OverloadMonitor monitor = new(meter, new TargetOverloadPolicy(), run: 1, isWatched: false);

        // What many streams have lasted together goes past the end of 64 bits.
        TimeSpan lasted = TimeSpan.MaxValue / 8;
        for (int i = 0; i < 20; i++)
        {
            meter.Arrive();
            meter.End(-lasted);
            monitor.Look();
        }

        monitor.Report().ServiceTime!.Value.TotalDays.ShouldBe(lasted.TotalDays, tolerance: 1);
    }

    [Fact]
    public void Meter_ManyThreads_EndsAtZero()
    {
        QueueMeter meter = new();
        Parallel.For(0, 20_000, _ => meter.End(meter.Start(meter.Arrive())));
        meter.InFlight.ShouldBe(0);
        meter.Read().Completed.ShouldBe(20_000);
        meter.Read().AverageWait.ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public void Report_EachBalancer_GetsItsShareAndANewNumber()
    {
        BalancerShares shares = new(["a", "b"]);
        using OverloadMonitor monitor = new(new QueueMeter(), new FixedPolicy(), run: 3, shares, isWatched: false);
        for (int i = 0; i < 40; i++)
        {
            for (int j = 0; j < 4; j++)
            {
                monitor.Count(j == 0 ? "b" : "a").ShouldBeTrue();
            }

            monitor.Look();
        }

        monitor.Count("stranger").ShouldBeFalse();
        monitor.Count(null).ShouldBeFalse();
        LoadReport a = monitor.Report("a");
        a.Point!.Value.PerSecond.ShouldBe(75, tolerance: 1);
        monitor.Report("b").Point!.Value.PerSecond.ShouldBe(25, tolerance: 1);
        monitor.Report().Point!.Value.PerSecond.ShouldBe(100);
        monitor.Report().Sequence.ShouldBe(a.Sequence + 3);
        a.Run.ShouldBe(3);
    }

    [Fact]
    public void Count_SharesOfNoName_AreThoseOfOneBalancer()
    {
        using OverloadMonitor monitor = new(new QueueMeter(), new FixedPolicy(), run: 1, new BalancerShares([]), isWatched: false);
        monitor.Look();
        monitor.Count(null).ShouldBeTrue();
        monitor.Report("front").Point!.Value.PerSecond.ShouldBe(100);
    }

    [Fact]
    public void Report_TellsOfHowManyAnswersItsTimeIs()
    {
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 1, isWatched: false);
        monitor.Look();
        monitor.Report().ServiceTimeAnswers.ShouldBeNull();
        for (int i = 0; i < 3; i++)
        {
            TimeSpan started = meter.Start(meter.Arrive());
            clock.Pass(20);
            meter.End(started);
        }

        monitor.Look();
        monitor.Report().ServiceTimeAnswers.ShouldBe(3);
        monitor.Report().ToString().ShouldEndWith("us=20000; n=3");
    }

    [Fact]
    public void Report_TellsTheTimeUntilAnswersBegin_AndTheAgentThatUntilTheyEnd()
    {
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 1, isWatched: false);
        TimeSpan started = meter.Start(meter.Arrive());
        TimeSpan failed = meter.Start(meter.Arrive());
        clock.Pass(20);
        TimeSpan answered = meter.Now;
        clock.Pass(80);
        meter.End(started, answered);
        meter.End(failed, answered: null);
        monitor.Look();
        monitor.Report().ToString().ShouldEndWith("us=20000; n=1");
        monitor.AgentLine(64).ShouldBe("up maxconn:10\n", "100 a second, 100 ms each");
    }

    [Fact]
    public void Report_OneLongAnswer_IsNoSlowBackend_AndManyAre()
    {
        // A long poll of six seconds that ended: its backend got two of a hundred requests a second for five seconds.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 1, isWatched: false);
        TimeSpan poll = meter.Start(meter.Arrive());
        Answer(20, 300);
        meter.End(poll);
        Answer(20, 10);
        monitor.Report().ServiceTime!.Value.TotalMilliseconds.ShouldBeInRange(20, 30);
        for (int i = 0; i < 10; i++)
        {
            Answer(200, 20);
        }

        monitor.Report().ServiceTime!.Value.TotalMilliseconds.ShouldBeInRange(180, 200);

        void Answer(double milliseconds, int count)
        {
            for (int i = 0; i < count; i++)
            {
                TimeSpan started = meter.Start(meter.Arrive());
                clock.Pass(milliseconds);
                meter.End(started);
            }

            monitor.Look();
        }
    }

    [Fact]
    public void AgentLine_ByLittlesLaw()
    {
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 0, isWatched: false);
        monitor.AgentLine(64).ShouldBe("up maxconn:64\n");
        TimeSpan started = meter.Start(meter.Arrive());
        clock.Pass(92);
        meter.End(started);
        monitor.Look();
        monitor.AgentLine(64).ShouldBe("up maxconn:9\n", "100 a second, 92 ms each");
        monitor.AgentLine(4).ShouldBe("up maxconn:4\n");
    }

    [Fact]
    public void AgentLine_StreamsThatAreOpen_HavePlacesOfTheirOwn()
    {
        // HAProxy counts them: with as many open as there were places, it sent the backend nothing. One that ended counted as what a request usually takes.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 0, isWatched: false);
        TimeSpan[] streams = [.. Enumerable.Range(0, 50).Select(_ => meter.Start(meter.Arrive()))];
        Serve();
        monitor.AgentLine(1000).ShouldBe("up maxconn:5\n", "100 a second, 50 ms each");
        clock.Pass(3_600_000);
        Serve();
        monitor.AgentLine(1000).ShouldBe("up maxconn:55\n");
        meter.End(streams[0]);
        meter.Discard(TimeSpan.Zero, streams[1]);
        Serve();
        monitor.AgentLine(1000).ShouldBe("up maxconn:53\n");

        void Serve()
        {
            for (int i = 0; i < 20; i++)
            {
                TimeSpan arrived = meter.Arrive();
                meter.Wait(arrived, meter.Start(arrived));
                clock.Pass(10);
                TimeSpan started = meter.Start(arrived);
                clock.Pass(50);
                meter.End(started);
            }

            monitor.Look();
        }
    }

    [Fact]
    public void AgentLine_SomeTakeManyTimesAsLong_CountWithTheirWholeTime()
    {
        // One in twenty takes 400 ms in place of 10, and has no place of its own: 29.5 ms in the mean.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        using OverloadMonitor monitor = new(meter, new FixedPolicy(), run: 0, isWatched: false);
        for (int i = 1; i <= 400; i++)
        {
            TimeSpan started = meter.Start(meter.Arrive());
            clock.Pass(i % 20 == 0 ? 400 : 10);
            meter.End(started);
            if (i % 20 == 0)
            {
                monitor.Look();
            }
        }

        monitor.MostInFlight.ShouldBe(2, "100 a second");
    }

    [Fact]
    public void Watched_LooksByItself_AndEnds()
    {
        FixedPolicy policy = new();
        OverloadMonitor monitor = new(new QueueMeter(), policy, run: 0);
        policy.Looked.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
        monitor.Dispose();
        monitor.Dispose();
        monitor.Report().Point.ShouldNotBeNull();
    }

    [Fact]
    public void Watched_PolicyThatThrows_IsReportedAndTheWatchGoesOn()
    {
        TurnsPolicy policy = new(
            static () => new OverloadPoint(100),
            static () => throw new InvalidOperationException("of the policy"),
            static () => new OverloadPoint(50));
        using OverloadMonitor monitor = new(new QueueMeter(), policy, run: 0);
        List<(string Fault, OverloadPoint? Point)> faults = [];
        monitor.Faulted += (_, fault) =>
        {
            faults.Add((fault.Message, monitor.Point));
            throw new InvalidOperationException("of the handler");
        };
        int told = 0;
        monitor.Faulted += (_, _) => told++;
        policy.MayLook.Set();
        SpinWait.SpinUntil(() => monitor.Point == new OverloadPoint(50), TimeSpan.FromSeconds(30)).ShouldBeTrue("it looks again");
        told.ShouldBe(1, "the handlers behind one that throws are called");
        faults.ShouldBe([("of the policy", new OverloadPoint(100))]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Watched_AsynchronousHandlerThrows_TheWatchGoesOn(bool awaits)
    {
        TurnsPolicy policy = new(static () => throw new InvalidOperationException("of the policy"), static () => new OverloadPoint(50));
        using OverloadMonitor monitor = new(new QueueMeter(), policy, run: 0);
        TaskCompletionSource<bool> hasThrown = new();
        monitor.Faulted += async (_, _) =>
        {
            // Under none, what it throws would end the process of the tests.
            bool hasContext = SynchronizationContext.Current is not null;
            if (awaits)
            {
                await Task.Yield();
            }

            hasThrown.SetResult(hasContext);
            if (hasContext)
            {
                throw new InvalidOperationException("of the handler");
            }
        };
        policy.MayLook.Set();
        hasThrown.Task.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
        hasThrown.Task.Result.ShouldBeTrue("a handler runs under a context");
        SpinWait.SpinUntil(() => monitor.Point == new OverloadPoint(50), TimeSpan.FromSeconds(30)).ShouldBeTrue("it looks again");
    }

    /// <summary>Its thread kept what flowed where it was created, such as the activity of the request that asked for it first.</summary>
    [Fact]
    public void Watched_CreatedInsideARequest_NothingOfThatFlowsIntoItsThread()
    {
        AsyncLocal<string?> flowing = new() { Value = "of the request" };
        TaskCompletionSource<string?> seen = new();
        TurnsPolicy policy = new(() =>
        {
            seen.TrySetResult(flowing.Value);
            return null;
        });
        policy.MayLook.Set();
        using OverloadMonitor monitor = new(new QueueMeter(), policy, run: 0);
        seen.Task.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
        seen.Task.Result.ShouldBeNull();
    }

    [Fact]
    public void Watched_IntervalOutOfRange_IsRefusedAtTheStartAndReportedLater()
    {
        TurnsPolicy policy = new() { Interval = TimeSpan.FromDays(25) };
        Should.Throw<ArgumentOutOfRangeException>(() => new OverloadMonitor(new QueueMeter(), policy, run: 0))
            .Message.ShouldStartWith("Interval is '25.00:00:00'; allowed: 1 ms to a day.");

        policy.Interval = TimeSpan.FromMilliseconds(1);
        using OverloadMonitor monitor = new(new QueueMeter(), policy, run: 0);
        using CountdownEvent faults = new(2);
        monitor.Faulted += (_, fault) => _ = fault is ArgumentOutOfRangeException && !faults.IsSet && faults.Signal();
        policy.Interval = TimeSpan.Zero;
        policy.MayLook.Set();
        faults.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue("it looks again after the interval before");
    }

    [Theory]
    [InlineData("a", "a")]
    [InlineData("a", " ")]
    public void Shares_BadNames_Throw(string first, string second) => Should.Throw<ArgumentException>(() => new BalancerShares([first, second]));

    [Fact]
    public void Shares_BalancerThatIsSilent_KeepsAPart()
    {
        BalancerShares shares = new(["a", "b"]);
        shares.Of("a").ShouldBe(0.5);
        for (int i = 0; i < 100; i++)
        {
            shares.Count("a");
            shares.EndPeriod();
        }

        shares.Of("a").ShouldBe(1);
        shares.Of("b").ShouldBe(0.05);
    }

    private sealed class FixedPolicy : IOverloadPolicy
    {
        public ManualResetEventSlim Looked { get; } = new();

        public TimeSpan Interval => TimeSpan.FromMilliseconds(1);

        public OverloadPoint? Observe(in QueueReading reading)
        {
            Looked.Set();
            return new OverloadPoint(100);
        }
    }

    /// <summary>Does one thing at each look, and the last one at all that follow.</summary>
    private sealed class TurnsPolicy(params Func<OverloadPoint?>[] turns) : IOverloadPolicy
    {
        private int _looks;

        public ManualResetEventSlim MayLook { get; } = new();

        public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(1);

        public OverloadPoint? Observe(in QueueReading reading)
        {
            MayLook.Wait();
            return turns.Length == 0 ? null : turns[Math.Min(_looks++, turns.Length - 1)]();
        }
    }
}
