using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Balancing.Tests.Overload;

public sealed class TargetOverloadPolicyTests
{
    private readonly TargetOverloadPolicy _policy = new();
    private double _second;
    private double _arrived;
    private double _completed;

    [Theory]
    [InlineData(10)]
    [InlineData(100)]
    public void Observe_AFewWaitForSomethingOfTheirOwn_IsNoOverload(int millisecondsBetweenTheOthers)
    {
        // Three that waited at the gate of their endpoint took the point down to nothing within twenty seconds: the others came no faster than it said.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        TargetOverloadPolicy policy = new();
        for (int i = 0; i < 3; i++)
        {
            TimeSpan arrived = meter.Arrive();
            meter.Wait(arrived, meter.Start(arrived));
        }

        for (int i = 0; i < 3_000; i++)
        {
            if (i % (millisecondsBetweenTheOthers / 10) == 0)
            {
                meter.End(meter.Start(meter.Arrive()));
            }

            clock.Pass(10);
            if (i % 10 == 9)
            {
                policy.Observe(meter.Read()).ShouldBeNull();
            }
        }
    }

    [Fact]
    public void Observe_TheNewestBeginFirst_IsOverload()
    {
        // Four come in the time of one, which is the last that came.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        TargetOverloadPolicy policy = new();
        OverloadPoint? point = null;
        for (int i = 0; i < 300; i++)
        {
            meter.Arrive();
            meter.Arrive();
            meter.Arrive();
            meter.End(meter.Start(meter.Arrive()));
            clock.Pass(10);
            point = i % 10 == 9 ? policy.Observe(meter.Read()) : point;
        }

        point.ShouldNotBeNull();
    }

    [Fact]
    public void Observe_ThoseThatBeginHaveWaitedAsWell_IsOverload()
    {
        // Half of them are of another kind, which never waits.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        TargetOverloadPolicy policy = new();
        Queue<TimeSpan> waiting = new();
        OverloadPoint? point = null;
        for (int i = 0; i < 300; i++)
        {
            waiting.Enqueue(meter.Arrive());
            waiting.Enqueue(meter.Arrive());
            meter.End(meter.Start(waiting.Dequeue()));
            meter.End(meter.Start(meter.Arrive()));
            clock.Pass(10);
            point = i % 10 == 9 ? policy.Observe(meter.Read()) : point;
        }

        point.ShouldNotBeNull();
    }

    [Fact]
    public void Observe_WaitStands_TellsWhatCompletesLessAMargin()
    {
        Run(seconds: 0.7, wait: 8, arrive: 1200, complete: 1000, queued: 0)!.Value.PerSecond.ShouldBe(970, tolerance: 5);
    }

    /// <summary>The window had no end: a look beside a clock that a test never moves was kept for ever.</summary>
    [Fact]
    public void Observe_ClockStandsStill_KeepsNothing()
    {
        var reading = new QueueReading { Now = default, AverageWait = default, Queued = 0, Arrived = 0, Completed = 0 };
        _policy.Observe(reading);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
        {
            _policy.Observe(reading);
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(10_000);
    }

    [Fact]
    public void Observe_SlowRequests_TellsWhatCompletes()
    {
        // One in a second: half of the windows have one, and told two. Never less than 1.4 was told.
        Run(seconds: 60, wait: 5_000, arrive: 2, complete: 1, queued: 1)!.Value.PerSecond.ShouldBe(0.7, tolerance: 0.1);
    }

    [Fact]
    public void Observe_SlowRequestsThatAreHeldBackByIt_DoNotPileUp()
    {
        // Three would come in the time of one. The queue grew by as many as were told too many, for as long as they came.
        HandClock clock = new();
        QueueMeter meter = new(clock);
        TargetOverloadPolicy policy = new();
        Queue<TimeSpan> waiting = new();
        OverloadPoint? point = null;
        double due = 0;
        TimeSpan? running = null;
        for (int i = 0; i < 6_000; i++)
        {
            due += 0.1 * Math.Min(3, point?.PerSecond ?? 3);
            for (; due >= 1; due--)
            {
                waiting.Enqueue(meter.Arrive());
            }

            if (i % 10 == 0)
            {
                if (running is { } started)
                {
                    meter.End(started);
                }

                running = waiting.TryDequeue(out TimeSpan next) ? meter.Start(next) : null;
            }

            clock.Pass(100);
            point = policy.Observe(meter.Read());
        }

        waiting.Count.ShouldBeLessThan(60);
    }

    [Fact]
    public void Observe_WaitComesAndGoes_IsNoOverload()
    {
        for (int i = 0; i < 50; i++)
        {
            Run(0.2, wait: 100, 1000, 1000, queued: 10);
            Run(0.2, wait: 0, 1000, 1000, queued: 0).ShouldBeNull();
        }
    }

    [Fact]
    public void Observe_LargeConstantQueue_IsOverload() => Run(1, wait: 300, 1000, 1000, queued: 300).ShouldNotBeNull();

    [Fact]
    public void Observe_OverloadThatLasts_DoesNotRatchet()
    {
        Run(60, wait: 50, 1000, 1000, queued: 50);
        Run(1, wait: 50, 1000, 1000, queued: 50)!.Value.PerSecond.ShouldBe(945, tolerance: 10);
    }

    [Fact]
    public void Observe_Backlog_IsDrainedButNeverBelowAShare()
    {
        Run(0.7, wait: 50, 1000, 1000, queued: 200)!.Value.PerSecond.ShouldBe(870, tolerance: 5);
        Run(0.7, wait: 50, 1000, 1000, queued: 1_000_000)!.Value.PerSecond.ShouldBe(700, tolerance: 5);
    }

    [Fact]
    public void Observe_Recovered_RisesFourfoldWithinTenSeconds()
    {
        Run(1, wait: 50, 1000, 250, queued: 0);
        double seconds = 0;
        OverloadPoint? point;
        do
        {
            // As many as are let in arrive, and none waits.
            point = Run(0.1, wait: 0, arrive: 1e6, complete: 1000, queued: 0);
            seconds += 0.1;
        }
        while (point is { PerSecond: < 1000 });
        seconds.ShouldBeLessThan(10);
    }

    [Fact]
    public void Observe_NearItsLimit_CreepsUp()
    {
        double before = Run(1, wait: 50, 1000, 1000, queued: 0)!.Value.PerSecond;

        // Waits now and then, as there are near the limit.
        double after = Run(5, wait: 1.5, arrive: 1e6, complete: 970, queued: 1)!.Value.PerSecond;
        (after / before).ShouldBeInRange(1.02, 1.06);
    }

    [Fact]
    public void Observe_HoldsNobodyBack_IsTakenBack()
    {
        Run(1, wait: 50, 1000, 1000, queued: 0).ShouldNotBeNull();
        Run(10, wait: 0, arrive: 100, complete: 100, queued: 0).ShouldBeNull();
    }

    [Fact]
    public void Observe_ClockGoesBack_GoesOn()
    {
        Run(5, wait: 50, 1000, 1000, queued: 0).ShouldNotBeNull();
        _second = 0;
        Run(1, wait: 50, 1000, 500, queued: 0)!.Value.PerSecond.ShouldBe(485, tolerance: 5);
    }

    [Fact]
    public void Observe_ProcessStoodStill_IsNoTimeInWhichNothingCompleted()
    {
        Run(0.3, wait: 50, 1000, 1000, queued: 0).ShouldBeNull();
        _second += 70;
        Run(0.4, wait: 50, 1000, 1000, queued: 0).ShouldBeNull("what stands since is not known yet");
        Run(0.4, wait: 50, 1000, 1000, queued: 0)!.Value.PerSecond.ShouldBe(970, tolerance: 5);
    }

    [Fact]
    public void Observe_NothingCompletes_TellsNothing() => Run(5, wait: 1000, 100, 0, queued: 100).ShouldBeNull();

    [Fact]
    public void Observe_BeforeTheFirstSizing_TellsNothing()
    {
        for (int i = 0; i < 20; i++)
        {
            _policy.Observe(new QueueReading { Now = TimeSpan.FromSeconds(i * 0.1), AverageWait = TimeSpan.FromSeconds(1), Queued = 9, Arrived = i * 10,
                Completed = i, IsSized = false })
                .ShouldBeNull();
        }
    }

    [Fact]
    public void Constructor_TargetOfZero_NamesIt() =>
        Should.Throw<ArgumentOutOfRangeException>(()
            => new TargetOverloadPolicy(new TargetOverloadOptions { Target = TimeSpan.Zero }))
            .Message.ShouldContain("Target is '00:00:00'; allowed: above zero");

    /// <summary>A longer one was accepted. Each look ended in an overflow, or read up to 86 million others.</summary>
    [Theory]
    [InlineData(100, 99, "00:00:00.1000000 (the interval) to 00:16:40")]
    [InlineData(100, 1_000_001, "00:00:00.1000000 (the interval) to 00:16:40")]
    [InlineData(1, 86_400_000, "00:00:00.0010000 (the interval) to 00:00:10")]
    [InlineData(60_000, long.MaxValue, "00:01:00 (the interval) to 1.00:00:00")]
    public void Constructor_WindowOutOfRange_NamesIt(long intervalMilliseconds, long windowMilliseconds, string allowed)
    {
        TimeSpan window = windowMilliseconds == long.MaxValue ? TimeSpan.MaxValue : TimeSpan.FromMilliseconds(windowMilliseconds);
        var options = new TargetOverloadOptions { Interval = TimeSpan.FromMilliseconds(intervalMilliseconds), Window = window };
        Should.Throw<ArgumentOutOfRangeException>(() => new TargetOverloadPolicy(options)).Message.ShouldContain($"Window is '{window}'; allowed: {allowed}.");
    }

    private OverloadPoint? Run(double seconds, double wait, double arrive, double complete, long queued)
    {
        OverloadPoint? point = null;
        for (int i = 0; i < Math.Round(seconds / 0.1); i++)
        {
            _second += 0.1;
            (_arrived, _completed) = (_arrived + (arrive * 0.1), _completed + (complete * 0.1));
            point = _policy.Observe(new QueueReading
            {
                Now = TimeSpan.FromSeconds(_second),
                AverageWait = TimeSpan.FromMilliseconds(wait),
                Queued = queued,
                Arrived = (long)_arrived,
                Completed = (long)_completed,
            });
        }

        return point;
    }
}
