using AdaptivePool.Blocking;

namespace AdaptivePool.Tests.Blocking;

public sealed class BlockingMessageRuleTests
{
    [Fact]
    public void OfReport_TopBlockerOfTwoClasses_IsOnePlace() =>
        BlockingMessageRule.OfReport(12, 13, 14, 4, TimeSpan.FromMilliseconds(230), [Legacy("a", 5), Legacy("b", 4), Sleeping(3)])
            .ShouldBe("12 of 13 workers with an item are blocked, 9 of them in Bank.LegacyClient.Get (Task.Result), oldest item waits 230 ms; grew from 4 "
                + "to 14 workers");

    [Fact]
    public void OfReport_NothingNamed_SaysWhatIsKnown() =>
        BlockingMessageRule.OfReport(12, 12, 17, 17, TimeSpan.FromSeconds(12), []).ShouldBe("all 12 workers with an item are blocked, oldest item waits 12 s");

    [Fact]
    public void OfDeadlock_NamesThemAll() =>
        BlockingMessageRule.OfDeadlock(Seen(3, 4, 7), TimeSpan.FromSeconds(30), [Legacy("a", 2), Sleeping(1)])
            .ShouldStartWith("Deadlock: all 3 workers with an item are blocked (2 in Bank.LegacyClient.Get (Task.Result), 1 in class 'partner' (Blocking "
                + "scope: driver)), MaxThreads is 4, 7 items wait, and nothing has moved for 30 s.");

    [Fact]
    public void Messages_OneOfAKind_SayItInTheSingular()
    {
        BlockingMessageRule.OfReport(1, 1, 17, 17, TimeSpan.FromSeconds(12), []).ShouldBe("the only worker with an item is blocked, oldest item waits 12 s");
        BlockingMessageRule.OfDeadlock(Seen(1, 1, 1), TimeSpan.FromSeconds(30), [Sleeping(1)]).ShouldStartWith(
            "Deadlock: the only worker with an item is blocked (1 in class 'partner' (Blocking scope: driver)), MaxThreads is 1, 1 item waits, and ");
        BlockingMessageRule.OfEnd(1).ShouldBe("The deadlock has ended, 1 item waits");
    }

    [Fact]
    public void OfDeadlock_FixedSize_AdvisesToRaiseThat() =>
        BlockingMessageRule.OfDeadlock(Seen(2, 2, 5) with { MaxThreads = 1_000, IsFixed = true }, TimeSpan.FromSeconds(30), [Legacy("a", 2)]).ShouldBe(
            "Deadlock: all 2 workers with an item are blocked (2 in Bank.LegacyClient.Get (Task.Result)), the size is fixed, 5 items wait, and nothing has "
            + "moved for 30 s. Await instead of blocking, raise the size that Sizing sets, or set EmergencyThreads");

    private static DeadlockObservation Seen(int blocked, int maxThreads, long queued) => new(maxThreads, maxThreads, blocked, blocked, queued, 0, 0);

    private static Blocker Legacy(string className, int blocked) => New("Bank.LegacyClient.Get", "Task.Result", null, className, blocked);

    private static Blocker Sleeping(int blocked) => New(null, "Blocking scope", "driver", "partner", blocked);

    private static Blocker New(string? method, string kind, string? reason, string className, int blocked) => new()
    {
        Method = method,
        Kind = kind,
        Reason = reason,
        ClassName = className,
        Blocked = blocked,
        Count = blocked,
        TotalTime = TimeSpan.Zero,
        LongestTime = TimeSpan.Zero,
    };
}
