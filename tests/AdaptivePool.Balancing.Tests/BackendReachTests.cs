namespace AdaptivePool.Balancing.Tests;

/// <summary>Backends that cannot be connected to, and backends that hang.</summary>
public sealed class BackendReachTests
{
    private static readonly TimeSpan s_answer = TimeSpan.FromMilliseconds(10);
    private readonly HandClock _clock = new();
    private readonly BackendPicker _picker;
    private readonly BackendState[] _backends;

    public BackendReachTests()
    {
        _picker = new BackendPicker(new CollaborativeRoundRobin(), _clock);
        _backends = [new("hangs", _picker.Now), new("answers", _picker.Now)];
    }

    [Fact]
    public void Pick_OneHangs_IsLeftAloneAfterASecond()
    {
        int sent = Load(seconds: 1.1, answers: false);
        sent.ShouldBeGreaterThanOrEqualTo(3);
        Load(seconds: 0.9, answers: false).ShouldBe(0, "it is left alone");
    }

    [Fact]
    public void Pick_OneHangs_FewRequestsTryIt()
    {
        Load(seconds: 1.1, answers: false);
        Load(seconds: 60, answers: false).ShouldBe(6, "each waits twice as long as the one before: at 1, 2, 4, 8, 16, 32 s");
        Load(seconds: 3_600, answers: false).ShouldBe(6);
    }

    [Fact]
    public void Pick_TheOneThatTriesItIsGivenUp_IsTriedAgainAfterASecond()
    {
        Load(seconds: 1.1, answers: false);
        Load(seconds: 1, answers: false).ShouldBe(1);
        _picker.End(_backends[0], elapsed: null);
        Load(seconds: 0.9, answers: false).ShouldBe(0, "it was given up just now");
        Load(seconds: 0.9, answers: false).ShouldBe(1);
    }

    /// <summary>The backend got no other request for as long as that one lasted, and an answer was all that it needed.</summary>
    [Fact]
    public void Pick_TheOneThatTriesItIsALongPoll_AnotherTriesItAndIsAnswered()
    {
        Load(seconds: 1.1, answers: false);
        Load(seconds: 1, answers: false).ShouldBe(1, "the long poll");
        Load(seconds: 10, answers: true).ShouldBeGreaterThan(400);
    }

    [Fact]
    public void Pick_OneThatHungAnswers_GetsItsPartAtOnce()
    {
        Load(seconds: 1.1, answers: false);
        _picker.Answer(_backends[0]);
        while (_backends[0].InFlight > 0)
        {
            _picker.End(_backends[0], s_answer);
        }

        Load(seconds: 1, answers: true).ShouldBeInRange(30, 70);
    }

    [Fact]
    public void Pick_AnswersTakeLong_NobodyIsLeftAlone()
    {
        // Each has answered within three seconds so far.
        foreach (BackendState backend in _backends)
        {
            _picker.Pick([backend]).IsChosen.ShouldBeTrue();
            _picker.End(backend, TimeSpan.FromSeconds(3));
        }

        int sent = Load(seconds: 1.1, answers: false, other: false);
        sent.ShouldBeGreaterThan(40);
        Load(seconds: 10, answers: false, other: false).ShouldBeGreaterThan(400);
    }

    [Fact]
    public void Pick_FewLongOnes_AreNoSilence()
    {
        _picker.Pick([_backends[0]]);
        _picker.Pick([_backends[0]]);
        _clock.Pass(60_000);
        Sends(2).ShouldContain(0, "two may be long ones");
    }

    [Fact]
    public void Pick_ThirdOfLongOnesIsNew_IsNoSilence()
    {
        _picker.Pick([_backends[0]]);
        _picker.Pick([_backends[0]]);
        _clock.Pass(3_600_000);
        _picker.Pick([_backends[0]]);
        _clock.Pass(500);
        _picker.Answer(_backends[0]);
        _clock.Pass(3_600_000);
        Sends(4).ShouldContain(0);
    }

    [Fact]
    public void Pick_AllHang_AllAreAsked()
    {
        Load(seconds: 1.1, answers: false, other: false);
        Load(seconds: 10, answers: false, other: false).ShouldBeGreaterThan(400);
    }

    [Fact]
    public void Pick_OneRefuses_IsTriedByOneAtATime_AndBeginsAnewWhenItAnswers()
    {
        _picker.Take(_backends[0], "run=9; seq=1; op=1000").ShouldBe(ReportVerdict.Taken);
        _picker.Pick([_backends[0]]);
        _picker.EndUnsent(_backends[0], TimeSpan.FromSeconds(1));
        Sends(50).ShouldAllBe(static i => i == 1);
        _clock.Pass(1_000);
        Sends(50).Count(static i => i == 0).ShouldBe(1);
        _picker.Answer(_backends[0]);
        _backends[0].Point.ShouldBeNull("another process may answer now");
        _backends[0].InFlight.ShouldBe(1);
    }

    [Fact]
    public void Pick_ClockStandsStillOrJumps_SomebodyIsChosen()
    {
        Load(seconds: 1.1, answers: false);
        Sends(10).ShouldAllBe(static i => i == 1);
        _clock.Pass(1e12);
        Sends(1).ShouldHaveSingleItem();
        _clock.Pass(-2e12);
        Sends(10).Length.ShouldBe(10);
    }

    /// <summary>It was left alone until the clock had caught up.</summary>
    [Fact]
    public void Pick_ClockIsSetBackWhileOneIsLeftAlone_ItIsTriedAgain()
    {
        _clock.Pass(3_600_000);
        _picker.Pick([_backends[0]]);
        _picker.EndUnsent(_backends[0], TimeSpan.FromSeconds(1));
        Sends(10).ShouldAllBe(static i => i == 1);
        _clock.Pass(-3_600_000);
        Load(seconds: 2, answers: true).ShouldBeGreaterThan(0);
    }

    /// <summary>It got its part of the requests until the clock had caught up.</summary>
    [Fact]
    public void Pick_ClockIsSetBackWhileOneHangs_IsLeftAloneAfterASecond()
    {
        _clock.Pass(3_600_000);
        Load(seconds: 0.5, answers: false).ShouldBeGreaterThan(3);
        _clock.Pass(-3_600_000);
        Load(seconds: 1.1, answers: false);
        Load(seconds: 0.8, answers: false).ShouldBe(0);
    }

    /// <summary>A hundred requests a second; the second backend answers each, the first one only where it is said.</summary>
    /// <returns>How many the first one got.</returns>
    private int Load(double seconds, bool answers, bool other = true)
    {
        int first = 0;
        for (int i = 0; i < 100 * seconds; i++)
        {
            first += SendOne(answers, other) == 0 ? 1 : 0;
            _clock.Pass(10);
        }

        return first;
    }

    private int[] Sends(int count) => [.. Enumerable.Range(0, count).Select(_ => SendOne(answers: false, other: true))];

    private int SendOne(bool answers, bool other)
    {
        int index = _picker.Pick(_backends).Index;
        if (index == 0 ? answers : other)
        {
            _picker.Answer(_backends[index]);
            _picker.End(_backends[index], s_answer);
        }

        return index;
    }
}
