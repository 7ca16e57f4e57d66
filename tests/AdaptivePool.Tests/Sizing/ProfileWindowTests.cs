using AdaptivePool.Control;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class ProfileWindowTests
{
    private readonly ProfileWindow _window = new();
    private GenerationStatistics _generation;
    private long _completed;
    private long _waits;
    private double _now;

    [Fact]
    public void Profile_RoundsAndDurations_ComeFromWaitsAndShares()
    {
        Run(100, perTick: 3, service: 0.01, waitsPerItem: 4, cpu: 0.1, blocked: 0.8);

        WorkloadProfile profile = _window.Profile(2, 0.000_1);
        profile.ActiveRounds.ShouldBe(5, 1e-9);
        profile.ActiveSeconds.ShouldBe(0.001 / 5, 1e-9);
        profile.WaitingSeconds.ShouldBe(0.008 / 4, 1e-9);
        profile.Cores.ShouldBe(2);
        profile.ThreadCreationSeconds.ShouldBe(0.000_1);
    }

    [Fact]
    public void Profile_NoWaitSeen_OneWaitAllTheSame()
    {
        Run(100, perTick: 3, service: 0.01, waitsPerItem: 0, cpu: 0.1, blocked: 0.9);

        WorkloadProfile profile = _window.Profile(2, 0);
        profile.ActiveRounds.ShouldBe(1);
        profile.WaitingSeconds.ShouldBe(0.009, 1e-9);
    }

    [Fact]
    public void Profile_NothingKnown_TellsNothing()
    {
        _window.Profile(2, 0).IsTelling.ShouldBeFalse();
        Run(10, perTick: 0, service: 0, waitsPerItem: 0, cpu: double.NaN, blocked: double.NaN);
        _window.Profile(2, 0).IsTelling.ShouldBeFalse();
    }

    [Fact]
    public void Profile_WorkChanges_IsTheNewOneWithinATenthOfASecond()
    {
        Run(300, perTick: 20, service: 0.001, waitsPerItem: 1, cpu: 0.5, blocked: 0.5);
        Run(100, perTick: 20, service: 0.1, waitsPerItem: 1, cpu: 0.5, blocked: 0.5);

        _window.Profile(2, 0).WaitingSeconds.ShouldBe(0.05, 0.005);
    }

    [Fact]
    public void Profile_NewGeneration_BeginsFromZeroWithoutAJump()
    {
        Run(100, perTick: 3, service: 0.01, waitsPerItem: 1, cpu: 0.5, blocked: 0.5);
        double before = _window.Profile(2, 0).WaitingSeconds;

        _generation = default;
        Run(3, perTick: 1, service: 0.01, waitsPerItem: 1, cpu: 0.5, blocked: 0.5);

        _window.Profile(2, 0).WaitingSeconds.ShouldBe(before, 1e-9);
    }

    [Fact]
    public void Profile_AfterAPause_StandsAsItWas()
    {
        Run(100, perTick: 3, service: 0.01, waitsPerItem: 1, cpu: 0.5, blocked: 0.5);
        _now += 100;
        Run(1, perTick: 0, service: 0, waitsPerItem: 0, cpu: 0.5, blocked: 0.5);

        _window.Profile(2, 0).WaitingSeconds.ShouldBe(0.005, 1e-6);
    }

    [Fact]
    public void Profile_ClientsThatThink_AreCountedAndTheirGapIsKnown()
    {
        // Ten clients, of which five are away at any moment; an item ends each tick of 3 ms: each stays away for 5 x 3 ms.
        Run(300, perTick: 1, service: 0.015, waitsPerItem: 0, cpu: 0.1, blocked: 0.9, connections: tick => tick % 20 == 0 ? 10 : 5);

        WorkloadProfile profile = _window.Profile(2, 0);
        profile.Connections.ShouldBeInRange(8, 10);
        profile.RequestGapSeconds.ShouldBe(0.015, 0.005);
    }

    [Fact]
    public void Profile_ClientsThatAlwaysWait_HaveNoGap()
    {
        Run(300, perTick: 1, service: 0.015, waitsPerItem: 0, cpu: 0.1, blocked: 0.9, connections: tick => 250 + (tick % 7));

        WorkloadProfile profile = _window.Profile(2, 0);
        profile.Connections.ShouldBeInRange(250, 256);
        profile.RequestGapSeconds.ShouldBe(0);
    }

    private void Run(int ticks, int perTick, double service, int waitsPerItem, double cpu, double blocked, Func<int, int>? connections = null)
    {
        for (int i = 0; i < ticks; i++)
        {
            _now += 0.003;
            _completed += perTick;
            _waits += perTick * waitsPerItem;
            _generation = new(_generation.Completed + perTick, _generation.Timed + perTick, _generation.ServiceSeconds + (perTick * service), 0);
            _window.Add(_now, _generation, _completed, _waits, cpu, blocked, connections?.Invoke(i) ?? 0);
        }
    }
}
