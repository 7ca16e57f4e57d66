using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class RetirementRuleTests
{
    private const int MinThreads = 2;
    private readonly RetirementRule _rule = new(TimeSpan.FromSeconds(10));
    private double _now;

    [Fact]
    public void Look_BeforeTheTimeIsOver_NobodyEnds()
    {
        Look(idle: 8, existing: 8).ShouldBe(0);
        _now = 9.9;
        Look(idle: 8, existing: 8).ShouldBe(0);
        _rule.SecondsLeft(_now).ShouldBe(0.1, tolerance: 1e-9);
        _now = 10;
        Look(idle: 8, existing: 8).ShouldBe(6, "all but the minimum");
    }

    [Fact]
    public void Look_OnceFewWereIdle_SoManyEnd()
    {
        _now = 5;
        Look(idle: 3, existing: 8).ShouldBe(0);
        After(idle: 6, existing: 8).ShouldBe(3, "the others were needed in between");
        After(idle: 4, existing: 5).ShouldBe(3, "what was needed in an earlier time does not count");
    }

    [Fact]
    public void Look_AllAreNeeded_NobodyEnds() => After(idle: 0, existing: 8).ShouldBe(0);

    [Fact]
    public void Look_NoMoreThanTheMinimum_NobodyEnds()
    {
        After(idle: 2, existing: 2).ShouldBe(0);
        After(idle: 1, existing: 1).ShouldBe(0);
    }

    [Fact]
    public void Look_ThoseToldToEndAreStillThere_MakeNoOtherEnd()
    {
        After(idle: 5, existing: 5, created: 5).ShouldBe(3);
        _rule.Told(3);
        for (int i = 0; i < 3; i++)
        {
            // None has ended.
            After(idle: 2, existing: 5, created: 5).ShouldBe(0);
        }

        After(idle: 2, existing: 4, created: 5).ShouldBe(0, "one has ended");
        After(idle: 2, existing: 2, created: 5).ShouldBe(0, "all have");
    }

    [Fact]
    public void Look_OthersCameMeanwhile_TheyMayEnd()
    {
        After(idle: 5, existing: 5, created: 5).ShouldBe(3);
        _rule.Told(3);
        After(idle: 6, existing: 9, created: 9).ShouldBe(4, "four have come and three have not ended yet");
        _rule.Told(4);
        After(idle: 2, existing: 9, created: 9).ShouldBe(0);
        After(idle: 2, existing: 2, created: 9).ShouldBe(0);
    }

    [Fact]
    public void Look_FewerWereIdleThanWereToEnd_CountsThoseThatWereTold()
    {
        After(idle: 5, existing: 5, created: 5).ShouldBe(3);
        _rule.Told(1);
        After(idle: 4, existing: 5, created: 5).ShouldBe(2, "one of five has been told, so four stay");
    }

    private int After(int idle, int existing, long created = 0)
    {
        _now += 10;
        return Look(idle, existing, created);
    }

    private int Look(int idle, int existing, long created = 0) => _rule.Look(_now, idle, existing, created, MinThreads);
}
