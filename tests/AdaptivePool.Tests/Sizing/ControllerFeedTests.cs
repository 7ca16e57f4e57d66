using AdaptivePool.Control;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class ControllerFeedTests
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_idle = TimeSpan.FromSeconds(2);
    private readonly StepController _controller = new(static sample => sample.Target);
    private readonly ControllerFeed _feed;
    private TimeSpan _now;
    private long _completed;

    public ControllerFeedTests() => _feed = new(_controller, s_idle, 8);

    [Fact]
    public void Observe_NothingWaits_IsSampledAllTheSame()
    {
        Run(1, active: 3, queued: 0);
        _controller.Samples.Count.ShouldBeGreaterThan(5);
        _controller.Samples.ShouldAllBe(static it => it.Connections == 3 && it.Queued == 0 && it.MaxQueueWait == TimeSpan.Zero);
    }

    [Fact]
    public void Observe_NeverUsed_NothingIsAsked()
    {
        Run(10, active: 0, queued: 0);
        _controller.Samples.ShouldBeEmpty();
        _feed.WantsLooks.ShouldBeFalse();
    }

    [Fact]
    public void Observe_PeakWithinTheSample_IsTheNumberOfConnections()
    {
        Run(0.3, active: 8, queued: 2);
        int before = _controller.Samples.Count;
        Run(0.05, active: 8, queued: 30);
        Run(0.4, active: 8, queued: 1);
        _controller.Samples.Skip(before).ShouldContain(static it => it.Connections == 38);
        _controller.Samples[^1].Connections.ShouldBe(9);
    }

    [Fact]
    public void Observe_EmptyForLessThanTheIdleTimeout_TheLastConnectionsStand()
    {
        Run(0.5, active: 4, queued: 0);
        Run(1.5, active: 0, queued: 0);
        _controller.Samples[^1].Connections.ShouldBe(4);
        _controller.Samples.ShouldNotContain(static it => it.Connections == 0);
        _feed.WantsLooks.ShouldBeTrue("the search wants to know that nothing completes");
    }

    [Fact]
    public void Observe_EmptyForTheIdleTimeout_NobodyIsConnected()
    {
        Run(0.5, active: 4, queued: 0);
        Run(2.1, active: 0, queued: 0);
        _controller.Samples[^1].Connections.ShouldBe(0);
        _feed.WantsLooks.ShouldBeFalse("the class may be left alone");
    }

    [Fact]
    public void Observe_LeftWhileNoSampleIsOpen_IsToldAllTheSame()
    {
        Run(0.5, active: 4, queued: 0);
        Tick(active: 0, queued: 0, limit: 8, requests: null);
        _feed.Interrupt();
        _now += TimeSpan.FromSeconds(2.5);

        Tick(active: 0, queued: 0, limit: 8, requests: null);
        _feed.WantsLooks.ShouldBeTrue("nobody has told the controller yet");
        Tick(active: 0, queued: 0, limit: 8, requests: null);

        _controller.Samples[^1].Connections.ShouldBe(0);
        _feed.WantsLooks.ShouldBeFalse();
    }

    [Fact]
    public void Observe_SomebodyComesAfterALongPauseThatNobodySaw_TellsIt()
    {
        Run(0.5, active: 4, queued: 0);
        Run(0.05, active: 0, queued: 0);
        _now += TimeSpan.FromSeconds(100);
        int before = _controller.Samples.Count;
        _completed -= 4;
        Run(1, active: 4, queued: 0);
        _controller.Samples[before].Connections.ShouldBe(0);
        _controller.Samples[^1].Connections.ShouldBe(4);
    }

    [Fact]
    public void Observe_OthersHoldTheClassDown_TheControllerIsTold()
    {
        Run(0.3, active: 5, queued: 20, limit: 5);
        PoolSample told = _controller.Samples[^1];
        (told.Target, told.MaxTarget).ShouldBe((5, 5));
        _feed.Size.ShouldBe(5);
        Run(0.3, active: 5, queued: 20, limit: 5);
        _controller.Samples[^1].MaxTarget.ShouldBe(100);
    }

    [Fact]
    public void Observe_RequestsThatAwait_CountAsConnections()
    {
        for (int i = 0; i < 40; i++)
        {
            Tick(active: 1, queued: 0, limit: 8, requests: 60);
        }

        _controller.Samples[^1].Connections.ShouldBe(60);
    }

    private void Run(double seconds, int active, int queued, int limit = 8)
    {
        TimeSpan end = _now + TimeSpan.FromSeconds(seconds);
        while (_now < end)
        {
            Tick(active, queued, limit, requests: null);
        }
    }

    private void Tick(int active, int queued, int limit, int? requests)
    {
        _now += s_tick;
        _completed += active;
        var seen = new ClassObservation
        {
            Now = _now,
            Elapsed = s_tick,
            Limit = limit,
            Active = active,
            Queued = queued,
            Completed = _completed,
            Requests = requests,
            Cores = 2,
            Generation = new(_completed, _completed, 0.01 * _completed, 0),
        };
        _ = _feed.Observe(seen, new MachineObservation(0, 2, 2, Known: true), 100);
    }
}
