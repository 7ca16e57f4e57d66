using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;

namespace AdaptivePool.Tests.Housekeeping;

public sealed class RescueRuleTests
{
    /// <summary>
    /// One letter for each look, a sixteenth of a second apart: n nobody is on the way, s somebody, . nothing is held up. The expected finding is that of the
    /// last look; before it there is none.
    /// </summary>
    [Theory]
    [InlineData("nnnnn", nameof(AuditFinding.None))]
    [InlineData("nnnnnn", nameof(AuditFinding.Lost))]
    [InlineData("ssssss", nameof(AuditFinding.Late))]
    [InlineData("sssnnn", nameof(AuditFinding.Lost))]
    [InlineData("nnnnns", nameof(AuditFinding.Late))]
    [InlineData("sssssn", nameof(AuditFinding.None))]
    [InlineData("sssssnn", nameof(AuditFinding.Lost))]
    [InlineData("sssssns", nameof(AuditFinding.Late))]
    [InlineData("nnnnn.nnnnn", nameof(AuditFinding.None))]
    [InlineData("nnnnn.nnnnnn", nameof(AuditFinding.Lost))]
    [InlineData("......nnnnn", nameof(AuditFinding.None))]
    public void Observe_LooksInARow_FindsAtTheLast(string looks, string expected)
    {
        var rule = new RescueRule();
        AuditFinding last = AuditFinding.None;
        for (int i = 0; i < looks.Length; i++)
        {
            last.ShouldBe(AuditFinding.None, $"look {i}");
            last = rule.Observe(i / 16.0, looks[i] == '.' ? default : Held(isOnTheWay: looks[i] == 's'));
        }

        last.ToString().ShouldBe(expected);
    }

    [Fact]
    public void Observe_AfterAFinding_BeginsAgain()
    {
        var rule = new RescueRule();
        rule.Observe(0, Held(false));
        rule.Observe(1, Held(false)).ShouldBe(AuditFinding.Lost);
        rule.Observe(1.1, Held(false)).ShouldBe(AuditFinding.None);
        rule.Observe(1.3, Held(false)).ShouldBe(AuditFinding.None);
        rule.Observe(1.4, Held(false)).ShouldBe(AuditFinding.Lost);
    }

    [Fact]
    public void Observe_ItemsGoOn_FindsNothing()
    {
        var rule = new RescueRule();
        for (int i = 0; i < 100; i++)
        {
            rule.Observe(i / 16.0, Held(false) with { Heartbeats = i / 4 }).ShouldBe(AuditFinding.None);
        }
    }

    /// <summary>
    /// A worker that was woken between two looks was on the way, whether or not it was seen there. Work is helped all the same when that does not end.
    /// </summary>
    [Fact]
    public void Observe_WokenBetweenTwoLooks_IsNotLost()
    {
        var rule = new RescueRule();
        for (int i = 0; i <= 8; i++)
        {
            rule.Observe(i / 16.0, Held(false) with { Wakes = i }).ShouldBe(AuditFinding.None, $"look {i}");
        }

        rule.Observe(9 / 16.0, Held(false) with { Wakes = 9 }).ShouldBe(AuditFinding.Late);
    }

    private static AuditLook Held(bool isOnTheWay) => new(IsHeldUp: true, Heartbeats: 7, Wakes: 3, isOnTheWay);
}
