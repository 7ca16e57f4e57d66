using AdaptivePool.Housekeeping;

namespace AdaptivePool.Tests.Housekeeping;

public sealed class RetirementRuleTests
{
    private const int MinThreads = 2;
    private const double Step = 2.5;
    private readonly RetirementRule _rule = new(TimeSpan.FromSeconds(4 * Step));
    private double _now;

    [Fact]
    public void Look_BeforeTheStepIsOver_NobodyEnds()
    {
        Look(idle: 8, existing: 8).ShouldBe(0);
        _now = 2.4;
        Look(idle: 8, existing: 8).ShouldBe(0);
        _rule.SecondsLeft(_now).ShouldBe(0.1, tolerance: 1e-9);
        _now = 2.5;
        Look(idle: 8, existing: 8).ShouldBe(3, "half of those above the minimum");
    }

    [Fact]
    public void Look_AllStayIdle_EndByHalvesAndWithTheTimeAll()
    {
        Ends(idle: 66, existing: 66).ShouldBe(32);
        Ends(idle: 34, existing: 34).ShouldBe(16);
        Ends(idle: 18, existing: 18).ShouldBe(8);
        Ends(idle: 10, existing: 10).ShouldBe(8, "they have been idle for the whole time");
        Ends(idle: 2, existing: 2).ShouldBe(0);
    }

    [Fact]
    public void Look_OnceFewWereIdle_HalfOfSoManyEnd()
    {
        _now = 1;
        Look(idle: 3, existing: 8).ShouldBe(0);
        Ends(idle: 6, existing: 8).ShouldBe(2, "the others were needed in between");
        Ends(idle: 4, existing: 6).ShouldBe(2, "what was needed in an earlier step does not count");
    }

    [Fact]
    public void Look_NeededNowAndThen_TheTimeBeginsAgain()
    {
        for (int i = 0; i < 12; i++)
        {
            After(idle: i % 4 == 3 ? 0 : 12, existing: 14).ShouldBe(i % 4 == 3 ? 0 : 6, "half at most");
        }
    }

    [Fact]
    public void Look_AllAreNeeded_NobodyEnds() => After(idle: 0, existing: 8).ShouldBe(0);

    [Fact]
    public void Look_NoMoreThanTheMinimum_NobodyEnds()
    {
        for (int i = 0; i < 5; i++)
        {
            After(idle: 2, existing: 2).ShouldBe(0);
        }

        After(idle: 1, existing: 1).ShouldBe(0);
    }

    [Fact]
    public void Look_ThoseToldToEndAreStillThere_MakeNoOtherEnd()
    {
        Ends(idle: 6, existing: 6, created: 6).ShouldBe(2);
        Ends(idle: 4, existing: 6, created: 6).ShouldBe(1, "two have been told, so four stay");
        Ends(idle: 3, existing: 6, created: 6).ShouldBe(0, "three have been told; a lone one waits for the whole time");
        Ends(idle: 3, existing: 6, created: 6).ShouldBe(1, "that is over");
        for (int i = 0; i < 5; i++)
        {
            // None has ended.
            Ends(idle: 2, existing: 6, created: 6).ShouldBe(0);
        }

        Ends(idle: 2, existing: 4, created: 6).ShouldBe(0, "two have ended");
        Ends(idle: 2, existing: 2, created: 6).ShouldBe(0, "all have");
    }

    [Fact]
    public void Look_ALoneOne_EndsOnceTheWholeTimeIsOver()
    {
        for (int i = 0; i < 3; i++)
        {
            Ends(idle: 1, existing: 3, created: 3).ShouldBe(0);
        }

        Ends(idle: 1, existing: 3, created: 3).ShouldBe(1);
    }

    [Fact]
    public void Rest_StepWouldEndNobody_NextLookIsAtTheEndOfTheNext()
    {
        _now = 1;
        Look(idle: 1, existing: 18, created: 18).ShouldBe(0, "a burst");
        Rest(existing: 18, created: 18);
        _rule.SecondsLeft(_now).ShouldBe((2 * Step) - 1);
        Rest(existing: 18, created: 18);
        _rule.SecondsLeft(_now).ShouldBe((2 * Step) - 1, "one step at a time");
        _now = 2 * Step;
        Look(idle: 18, existing: 18, created: 18).ShouldBe(8);
    }

    [Fact]
    public void Rest_StepMayEndSome_IsNoReasonToWait()
    {
        _now = 1;
        Look(idle: 2, existing: 18, created: 18).ShouldBe(0);
        Rest(existing: 18, created: 18);
        _rule.SecondsLeft(_now).ShouldBe(Step - 1);
    }

    [Fact]
    public void Rest_BurstInEachStep_WhoIsSuperfluousEndsAllTheSame()
    {
        int ended = 0;
        for (int i = 0; i < 5; i++)
        {
            // One of three is never needed.
            _now += 1;
            ended += Ended(Look(idle: 1, existing: 3, created: 3));
            Rest(existing: 3, created: 3);
            _now += Step - 1;
            ended += Ended(Look(idle: 3, existing: 3, created: 3));
        }

        ended.ShouldBe(1);
    }

    [Fact]
    public void Look_OthersCameMeanwhile_TheyMayEnd()
    {
        Ends(idle: 8, existing: 8, created: 8).ShouldBe(3);
        Ends(idle: 9, existing: 12, created: 12).ShouldBe(4, "four have come, and three have not ended yet: seven above the minimum");
    }

    [Fact]
    public void Look_FewerWereToldThanWereToEnd_TheOthersStillMay()
    {
        After(idle: 8, existing: 8, created: 8).ShouldBe(3);
        _rule.Told(1);
        After(idle: 7, existing: 8, created: 8).ShouldBe(3, "one of eight has been told, so five are above the minimum");
    }

    [Fact]
    public void Staying_SomeHaveBeenToldAndOthersCame_CountsWhoStays()
    {
        _rule.Staying(existing: 5, created: 5).ShouldBe(5, "nobody has been told anything yet");
        Ends(idle: 8, existing: 8, created: 8).ShouldBe(3);
        _rule.Staying(existing: 8, created: 8).ShouldBe(5, "none of the three has ended");
        _rule.Staying(existing: 6, created: 8).ShouldBe(5, "two have");
        _rule.Staying(existing: 5, created: 8).ShouldBe(5, "all have");
        _rule.Staying(existing: 9, created: 12).ShouldBe(9, "four have come");
    }

    // One step later; they are told.
    private int Ends(int idle, int existing, long created = 0)
    {
        int ends = After(idle, existing, created);
        _rule.Told(ends);
        return ends;
    }

    private int After(int idle, int existing, long created = 0)
    {
        _now += Step;
        return Look(idle, existing, created);
    }

    private int Ended(int ends)
    {
        _rule.Told(ends);
        return ends;
    }

    private void Rest(int existing, long created) => _rule.Rest(_now, existing, created, MinThreads);

    private int Look(int idle, int existing, long created = 0) => _rule.Look(_now, idle, existing, created, MinThreads);
}
