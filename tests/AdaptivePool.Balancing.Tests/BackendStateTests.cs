namespace AdaptivePool.Balancing.Tests;

public sealed class BackendStateTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Take_LateReport_ChangesNothing()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(Report(run: 1, sequence: 5, point: 100), s_second).ShouldBe(ReportVerdict.Taken);
        backend.Take(Report(run: 1, sequence: 4, point: 7), s_second).ShouldBe(ReportVerdict.Stale);
        backend.Point.ShouldBe(new OverloadPoint(100));
        backend.Stale.ShouldBe(1);
    }

    [Fact]
    public void Take_LaterRun_ReplacesWhateverItsNumber()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(Report(run: 1, sequence: 500, point: 100), s_second);
        backend.Take(Report(run: 2, sequence: 0, point: null), s_second).ShouldBe(ReportVerdict.Taken);
        backend.Point.ShouldBeNull();
        backend.Take(Report(run: 1, sequence: 501, point: 100), s_second).ShouldBe(ReportVerdict.Stale);
    }

    [Fact]
    public void Take_EarlierRunAfterSilence_IsTaken()
    {
        // A backend whose clock was set back begins with a lower number: it is believed once the old one has been silent for long enough.
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(Report(run: 9, sequence: 0, point: 100), s_second);
        new CollaborativeBalancer().Choose([backend], s_second + TimeSpan.FromSeconds(10)).IsChosen.ShouldBeTrue();
        backend.Take(Report(run: 3, sequence: 0, point: 50), s_second * 20).ShouldBe(ReportVerdict.Taken);
        backend.Point.ShouldBe(new OverloadPoint(50));
    }

    [Fact]
    public void Take_EarlierRunAfterSilence_IsTakenWhereNoPolicyForgets()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(Report(run: 9, sequence: 7, point: 100), s_second);
        new CollaborativeRoundRobin().Choose([backend], s_second * 8).IsChosen.ShouldBeTrue();
        backend.Take(Report(run: 3, sequence: 0, point: 50), s_second * 9).ShouldBe(ReportVerdict.Stale, "it may only be late");
        backend.Take(Report(run: 3, sequence: 1, point: 50), s_second * 11).ShouldBe(ReportVerdict.Taken);
        backend.Point.ShouldBe(new OverloadPoint(50));
        backend.Since.ShouldBe(s_second * 11, "another process answers");
        backend.Take(Report(run: 9, sequence: 8, point: 100), s_second * 12).ShouldBe(ReportVerdict.Taken, "as of any later run");
    }

    [Fact]
    public void EstimatedInFlight_OthersRequests_CountLessAndLess()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Begin();
        backend.Take(new LoadReport { Run = 1, Sequence = 0, InFlight = 11 }, s_second);
        backend.EstimatedInFlight(s_second, s_second).ShouldBe(11);
        backend.EstimatedInFlight(s_second * 1.5, s_second).ShouldBe(6, 1e-9);
        backend.EstimatedInFlight(s_second * 2, s_second).ShouldBe(1);

        // A clock that has gone back: what was told in the future is not known.
        backend.EstimatedInFlight(TimeSpan.Zero, s_second).ShouldBe(1);
    }

    /// <summary>They counted in full until the clock had caught up.</summary>
    [Fact]
    public void EstimatedInFlight_ClockIsSetBackAfterFailures_TheyCountNoMore()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Fail(s_second * 3_600);
        backend.EstimatedInFlight(s_second * 3_600, s_second).ShouldBe(1);
        backend.EstimatedInFlight(s_second, s_second).ShouldBe(0);
        backend.Fail(s_second);
        backend.EstimatedInFlight(s_second, s_second).ShouldBe(1);
        backend.EstimatedInFlight(s_second * 10, s_second).ShouldBe(0);
    }

    [Fact]
    public void EstimatedInFlight_OldReport_IsDrawnToWhatIsUsual()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Begin();
        backend.EstimatedInFlight(s_second, s_second, usual: 4).ShouldBe(5, "it never told");
        backend.Take(new LoadReport { Run = 1, Sequence = 0, InFlight = 11 }, s_second);
        backend.EstimatedInFlight(s_second, s_second, usual: 4).ShouldBe(11);
        backend.EstimatedInFlight(s_second * 1.5, s_second, usual: 4).ShouldBe(8, 1e-9);
        backend.EstimatedInFlight(s_second * 2, s_second, usual: 4).ShouldBe(5);
        backend.EstimatedInFlight(TimeSpan.Zero, s_second, usual: 4).ShouldBe(5);
    }

    [Fact]
    public void EstimatedInFlight_ReportWithoutRequests_TellsNothingOfOthers()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(Report(run: 1, sequence: 0, point: 100), s_second);
        backend.EstimatedInFlight(s_second, s_second, usual: 4).ShouldBe(4);
    }

    [Fact]
    public void End_OneLongAnswer_IsNoSlowBackend_AndManyAre()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        Answer(0.02, 40);
        Answer(6, 1);
        backend.AnswerSeconds.ShouldBeInRange(0.02, 0.025);
        Answer(6, 200);
        backend.AnswerSeconds.ShouldBe(6, tolerance: 0.1);

        void Answer(double seconds, int count)
        {
            for (int i = 0; i < count; i++)
            {
                backend.Begin();
                backend.End(TimeSpan.FromSeconds(seconds), s_second);
            }
        }
    }

    [Theory]
    [InlineData(404)]
    [InlineData(101)]
    public void End_AnswerThatTellsNoSpeed_IsNoFastOne(int status)
    {
        // A backend that knows no address answers sooner than any that does, and got 596 of 600 requests.
        HandClock clock = new();
        using BackendPicker picker = new(new CollaborativeBalancer(), clock);
        BackendState[] backends = [new("knows none", picker.Now), new("a", picker.Now), new("b", picker.Now)];
        int[] got = new int[3];
        for (int i = 0; i < 300; i++)
        {
            int index = picker.Pick(backends).Index;
            got[index]++;
            clock.Pass(index == 0 ? 0.1 : 5);
            picker.Answer(backends[index], index == 0 ? status : 200);
            picker.End(backends[index], index == 0 ? status : 200, TimeSpan.FromMilliseconds(index == 0 ? 0.1 : 5));
        }

        got[0].ShouldBeInRange(90, 110);
        backends[0].AnswerSeconds.ShouldBe(0);
    }

    [Fact]
    public void End_WithoutBegin_Throws() => Should.Throw<InvalidOperationException>(() => new BackendState("b", TimeSpan.Zero).End(s_second, s_second));

    [Fact]
    public void ServiceSeconds_ToldLongAgo_IsNotKnown()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(new LoadReport { Run = 1, Sequence = 0, ServiceTime = TimeSpan.FromMilliseconds(80) }, s_second);
        backend.ServiceSeconds(s_second, s_second).ShouldBe(0.08);
        backend.ServiceSeconds(s_second * 2, s_second).ShouldBe(0);
    }

    [Theory]
    [InlineData(0, 100)]
    [InlineData(1, 84)]
    [InlineData(4, 60)]
    [InlineData(36, 28)]
    [InlineData(null, 27.44)]
    public void ServiceSeconds_OfFewAnswers_IsDrawnToWhatIsUsual(int? answers, double milliseconds)
    {
        // It tells 20 ms where 100 are usual. A backend that does not tell of how many answers is taken at its word, as one that knows many.
        BackendState backend = new("b", TimeSpan.Zero);
        backend.Take(new LoadReport { Run = 1, Sequence = 0, ServiceTime = TimeSpan.FromMilliseconds(20), ServiceTimeAnswers = answers }, s_second);
        (1000 * backend.ServiceSeconds(s_second, s_second, usual: 0.1)).ShouldBe(milliseconds, 0.01);
        backend.ServiceSeconds(s_second, s_second).ShouldBe(0.02);
    }

    [Fact]
    public void AnswerSeconds_FirstAnswers_CountAlike()
    {
        BackendState backend = new("b", TimeSpan.Zero);
        foreach (int milliseconds in new[] { 1, 50, 60, 89 })
        {
            backend.Begin();
            backend.End(TimeSpan.FromMilliseconds(milliseconds), s_second);
        }

        backend.AnswerSeconds.ShouldBe(0.05, 1e-9);
        backend.ServiceSeconds(s_second, s_second, usual: 0.1).ShouldBe(0.075, 1e-9);
        backend.Restart(s_second);
        backend.AnswerSeconds.ShouldBe(0);
    }

    internal static LoadReport Report(long run, long sequence, double? point) =>
        new() { Run = run, Sequence = sequence, Point = point is { } rate ? new OverloadPoint(rate) : null };
}
