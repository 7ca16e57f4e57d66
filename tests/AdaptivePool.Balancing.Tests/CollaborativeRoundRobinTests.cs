namespace AdaptivePool.Balancing.Tests;

public sealed class CollaborativeRoundRobinTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Choose_NobodyOverloaded_GoesInTurns()
    {
        BackendState[] backends = Backends(3);
        CollaborativeRoundRobin balancer = new();
        int[] chosen = [.. Enumerable.Range(0, 6).Select(_ => balancer.Choose(backends, TimeSpan.Zero).Index)];
        chosen.ShouldBe([0, 1, 2, 0, 1, 2]);
        backends[0].Counter.ShouldBe(0, "a backend without a point is not counted");
    }

    [Theory]
    [InlineData(1200, 1100)]
    [InlineData(500, 490)]
    [InlineData(490, 480)]
    public void Choose_OneOverloaded_GetsWhatEquationOneAdmits(double point, int admitted)
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], point);
        CollaborativeRoundRobin balancer = new();
        Send(balancer, backends, 10_000, TimeSpan.Zero)[0].ShouldBe(admitted);

        // The counter is reset each second, not before.
        Send(balancer, backends, 100, s_second * 0.99)[0].ShouldBe(0);
        Send(balancer, backends, 10_000, s_second)[0].ShouldBe(admitted);
    }

    [Fact]
    public void Choose_FigureNine_NeedsTheFirstPointsStep()
    {
        CollaborativeRoundRobin words = new();
        CollaborativeRoundRobin figure = new(new CollaborativeRoundRobinOptions { Step = RateStep.FirstPoint });
        foreach ((CollaborativeRoundRobin balancer, int second) in new[] { (words, 890), (figure, 800) })
        {
            BackendState[] backends = Backends(2);
            Tell(backends[0], 1000);
            Send(balancer, backends, 10_000, TimeSpan.Zero)[0].ShouldBe(900);
            Tell(backends[0], 900, sequence: 1);
            Send(balancer, backends, 10_000, s_second)[0].ShouldBe(second);
        }
    }

    [Fact]
    public void Choose_FirstPointsStepLargerThanThePoint_StillAdmitsOne()
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 1000);
        Tell(backends[0], 50, sequence: 1);
        Send(new CollaborativeRoundRobin(new CollaborativeRoundRobinOptions { Step = RateStep.FirstPoint }), backends, 100, TimeSpan.Zero)[0].ShouldBe(1);
    }

    [Theory]
    [InlineData(LimitedChoice.NextInTurn, new[] { 0, 1, 0, 1 })]
    [InlineData(LimitedChoice.LeastLoaded, new[] { 1, 1, 1, 1 })]
    [InlineData(LimitedChoice.Refuse, new[] { -1, -1, -1, -1 })]
    public void Choose_AllAtLimit_DoesAsTheOptionSays(LimitedChoice allAtLimit, int[] expected)
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 10);
        Tell(backends[1], 20);
        CollaborativeRoundRobin balancer = new(new CollaborativeRoundRobinOptions { AllAtLimit = allAtLimit });

        // 9 and 19 are admitted.
        Send(balancer, backends, 28, TimeSpan.Zero).ShouldBe([9, 19]);
        int first = balancer.Choose(backends, s_second / 2).Index;
        int[] more = [first, .. Enumerable.Range(0, 3).Select(_ => balancer.Choose(backends, s_second / 2).Index)];
        (allAtLimit == LimitedChoice.NextInTurn && first == 1 ? [.. more.Select(i => 1 - i)] : more).ShouldBe(expected);
        backends[0].Diverted.ShouldBe(allAtLimit == LimitedChoice.LeastLoaded ? 14 : 10, "those that went elsewhere, and no others");
        if (allAtLimit == LimitedChoice.Refuse)
        {
            balancer.Choose(backends, s_second / 2).RetryAfter.ShouldBe(s_second / 2);
        }
    }

    [Fact]
    public void Choose_PointThatIsNotRepeated_IsForgottenOnlyWhenAsked()
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 10);
        Send(new CollaborativeRoundRobin(), backends, 100, s_second * 100)[0].ShouldBe(9);
        CollaborativeRoundRobin forgetful = new(new CollaborativeRoundRobinOptions { PointLifetime = s_second * 5 });
        Send(forgetful, backends, 100, s_second * 100)[0].ShouldBe(50);
    }

    /// <summary>It limited the backend until the clock had caught up.</summary>
    [Fact]
    public void Choose_PointIsToBeForgottenAndTheClockIsSetBack_IsForgotten()
    {
        BackendState[] backends = Backends(2);
        backends[0].Take(BackendStateTests.Report(1, 0, 10), s_second * 3_600);
        CollaborativeRoundRobin forgetful = new(new CollaborativeRoundRobinOptions { PointLifetime = s_second * 5 });
        Send(forgetful, backends, 100, s_second)[0].ShouldBe(50);
    }

    [Fact]
    public void Choose_ClockThatJumps_GoesOn()
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 10);
        CollaborativeRoundRobin balancer = new();
        Send(balancer, backends, 100, s_second * 100)[0].ShouldBe(9);
        Send(balancer, backends, 100, s_second)[0].ShouldBe(9, "back: a new period");
        Send(balancer, backends, 100, s_second * 1e6)[0].ShouldBe(9, "far ahead: one new period");
        Send(balancer, backends, 100, s_second * 1e6)[0].ShouldBe(0);
    }

    /// <summary>A request whose session belongs to a backend asks about that one alone: all others went to the same backend after it.</summary>
    [Fact]
    public void Choose_RequestsOfASessionInBetween_TheOthersGoInTurns()
    {
        BackendState[] backends = Backends(4);
        CollaborativeRoundRobin balancer = new();
        int[] chosen = [.. Enumerable.Range(0, 8).Select(_ =>
        {
            balancer.Choose(backends[2..3], TimeSpan.Zero).IsChosen.ShouldBeTrue();
            return balancer.Choose(backends, TimeSpan.Zero).Index;
        })];
        chosen.ShouldBe([0, 1, 2, 3, 0, 1, 2, 3]);
    }

    /// <summary>Only the counter of that backend was reset, and the others stood at their limit for a second more.</summary>
    [Fact]
    public void Choose_ASessionIsTheFirstOfASecond_AllCountersBeginAnew()
    {
        BackendState[] backends = Backends(2);
        Tell(backends[0], 10);
        Tell(backends[1], 10);
        CollaborativeRoundRobin balancer = new();
        Send(balancer, backends, 18, TimeSpan.Zero).ShouldBe([9, 9]);
        balancer.Choose(backends[..1], s_second).IsChosen.ShouldBeTrue();
        Send(balancer, backends, 17, s_second).ShouldBe([8, 9]);
    }

    [Fact]
    public void Choose_CountersAreNeverResetAndTheClockGoesBack_GoesOn()
    {
        BackendState[] backends = Backends(2);
        CollaborativeRoundRobin balancer = new(new CollaborativeRoundRobinOptions { CounterPeriod = TimeSpan.MaxValue });
        balancer.Choose(backends, s_second * 2).IsChosen.ShouldBeTrue();
        balancer.Choose(backends, s_second).IsChosen.ShouldBeTrue();
    }

    [Fact]
    public void Choose_NoBackend_ChoosesNone() => new CollaborativeRoundRobin().Choose([], TimeSpan.Zero).IsChosen.ShouldBeFalse();

    public static TheoryData<string, CollaborativeRoundRobinOptions> Wrong => new()
    {
        { "Step is '9'; allowed: EachPoint or FirstPoint.", new() { Step = (RateStep)9 } },
        { "AllAtLimit is '9'; allowed: NextInTurn, LeastLoaded or Refuse.", new() { AllAtLimit = (LimitedChoice)9 } },
        { "PointLifetime is '00:00:00'; allowed: above zero.", new() { PointLifetime = TimeSpan.Zero } },
        { "CounterPeriod is '00:00:00'; allowed: above zero.", new() { CounterPeriod = TimeSpan.Zero } },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Constructor_OptionOutOfRange_NamesOptionValueAndRange(string message, CollaborativeRoundRobinOptions options) =>
        Should.Throw<ArgumentOutOfRangeException>(() => new CollaborativeRoundRobin(options)).Message.ShouldStartWith(message);

    internal static BackendState[] Backends(int count) => [.. Enumerable.Range(0, count).Select(i => new BackendState($"b{i}", TimeSpan.Zero))];

    internal static void Tell(BackendState backend, double point, long sequence = 0)
        => backend.Take(BackendStateTests.Report(1, sequence, point), TimeSpan.Zero);

    internal static int[] Send(IBalancer balancer, BackendState[] backends, int requests, TimeSpan now)
    {
        int[] got = new int[backends.Length];
        for (int i = 0; i < requests; i++)
        {
            if (balancer.Choose(backends, now) is { IsChosen: true } choice)
            {
                got[choice.Index]++;
            }
        }

        return got;
    }
}
