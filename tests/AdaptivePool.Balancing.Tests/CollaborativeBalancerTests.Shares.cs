using static AdaptivePool.Balancing.Tests.CollaborativeRoundRobinTests;

namespace AdaptivePool.Balancing.Tests;

/// <content>Which share each backend gets.</content>
public sealed partial class CollaborativeBalancerTests
{
    [Fact]
    public void Choose_Weights_ShareAccordingly()
    {
        BackendState[] backends = [new("a", TimeSpan.Zero) { Weight = 3 }, new("b", TimeSpan.Zero)];
        CollaborativeBalancer balancer = new();
        for (int i = 0; i < 40; i++)
        {
            backends[balancer.Choose(backends, TimeSpan.Zero).Index].Begin();
        }

        backends[0].InFlight.ShouldBeInRange(29, 31);
    }

    [Fact]
    public void Choose_SlowStart_RisesToAFullShare()
    {
        CollaborativeBalancer balancer = new(new CollaborativeBalancerOptions { SlowStart = s_second * 10 });
        int[] got = [.. new[] { 0.0, 5, 10 }.Select(age =>
        {
            TimeSpan now = s_second * 100;
            BackendState[] backends = [new("old", TimeSpan.Zero), new("new", now - (s_second * age))];
            for (int i = 0; i < 110; i++)
            {
                backends[balancer.Choose(backends, now).Index].Begin();
            }

            return backends[1].InFlight;
        })];
        got[0].ShouldBeInRange(9, 11);
        got[1].ShouldBeInRange(38, 40);
        got[2].ShouldBeInRange(54, 56);
    }

    [Fact]
    public void Choose_SilentBackend_IsFreeAgainAfterItsPointsLifetime()
    {
        BackendState[] backends = Backends(1);
        Tell(backends[0], 1);
        CollaborativeBalancer balancer = new();
        Send(balancer, backends, 10, s_second * 9)[0].ShouldBe(1);
        Send(balancer, backends, 10, s_second * 10)[0].ShouldBe(10);
        backends[0].Point.ShouldBeNull();
    }

    [Fact]
    public void Choose_ClockThatGoesBack_DoesNotLockABackendOut()
    {
        BackendState[] backends = Backends(1);
        backends[0].Take(BackendStateTests.Report(1, 0, 5), s_second * 1000);
        CollaborativeBalancer balancer = new();
        Send(balancer, backends, 10, s_second * 1000);
        balancer.Choose(backends, s_second).IsChosen.ShouldBeTrue();
    }

    /// <summary>The next request was due by the clock of before, and the backend got none for as long as a report counts.</summary>
    [Fact]
    public void Choose_ReportComesAfterTheClockWasSetBack_KeepsTheRate()
    {
        BackendState[] backends = Backends(1);
        backends[0].Take(BackendStateTests.Report(1, 0, 5), s_second * 1000);
        CollaborativeBalancer balancer = new();
        balancer.Choose(backends, s_second * 1000).IsChosen.ShouldBeTrue();
        backends[0].Take(BackendStateTests.Report(1, 1, 5), s_second);
        balancer.Choose(backends, s_second).IsChosen.ShouldBeTrue();
        balancer.Choose(backends, s_second).IsChosen.ShouldBeFalse("five a second");
        balancer.Choose(backends, s_second * 1.2).IsChosen.ShouldBeTrue();
    }

    [Fact]
    public void Choose_TenThousandBackends_DrawsSomeAndReachesAll()
    {
        BackendState[] backends = Backends(10_000);
        CollaborativeBalancer balancer = new(seed: 1);
        for (int i = 0; i < 60_000; i++)
        {
            backends[balancer.Choose(backends, TimeSpan.Zero).Index].Begin();
        }

        // The best of 64 draws keeps a mean of six within two.
        backends.Max(b => b.InFlight).ShouldBeLessThanOrEqualTo(8);
        backends.Count(b => b.InFlight == 0).ShouldBe(0);
    }

    [Fact]
    public void Choose_NoBackend_ChoosesNone() => new CollaborativeBalancer().Choose([], TimeSpan.Zero).IsChosen.ShouldBeFalse();

    /// <summary>A request whose session belongs to a backend asks about that one alone: all others began with the same backend after it.</summary>
    [Fact]
    public void Choose_RequestsOfASessionInBetween_TheOthersGoInTurns()
    {
        BackendState[] backends = Backends(4);
        CollaborativeBalancer balancer = new();
        int[] got = new int[backends.Length];
        for (int i = 0; i < 40; i++)
        {
            balancer.Choose(backends[2..3], TimeSpan.Zero).IsChosen.ShouldBeTrue();
            got[balancer.Choose(backends, TimeSpan.Zero).Index]++;
        }

        got.ShouldBe([10, 10, 10, 10]);
    }
}
