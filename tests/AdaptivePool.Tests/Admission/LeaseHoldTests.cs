using System.Reflection;
using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class LeaseHoldTests
{
    /// <summary>Where the number of the turn reaches the sign bit of its word, and where it begins anew.</summary>
    [Theory]
    [InlineData((1L << 39) - 1)]
    [InlineData((1L << 40) - 1)]
    public void Turn_AtTheEndOfItsBits_GoesOn(long before)
    {
        var hold = new LeaseHold<RealSync>(index: 5, gate: null);
        typeof(LeaseHold<RealSync>).GetField("_word", BindingFlags.Instance | BindingFlags.NonPublic)!.SetValue(hold, before << 24);

        hold.TryClaim(out long turn).ShouldBeTrue();
        hold.Begin(turn, new TransactionRequest { Name = "late" }, group: 0, takesPermit: true, since: 0, look: 0);
        hold.TryJoin(turn).ShouldBeTrue();
        hold.SetFailed(turn, hasFailed: true);
        hold.Leave(turn, isOuter: false, out _).ShouldBeFalse();
        hold.Describe(static _ => TimeSpan.Zero, out long described, out _)!.Name.ShouldBe("late");
        described.ShouldBe(turn);
        hold.Leave(turn, isOuter: true, out bool hasFailed).ShouldBeTrue();
        hasFailed.ShouldBeTrue();
        hold.IsUsed.ShouldBeFalse();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Leave_AfterTheOuterOne_TellsWhetherTheTransactionFailed(bool fails)
    {
        var hold = new LeaseHold<RealSync>(index: 5, gate: null);
        hold.TryClaim(out long turn).ShouldBeTrue();
        hold.Begin(turn, new TransactionRequest(), group: 0, takesPermit: true, since: 0, look: 0);
        hold.TryJoin(turn).ShouldBeTrue();
        hold.SetFailed(turn, fails);
        hold.Leave(turn, isOuter: true, out _).ShouldBeFalse();
        hold.Leave(turn, isOuter: false, out bool hasFailed).ShouldBeTrue();
        hasFailed.ShouldBe(fails);
    }

    [Theory]
    [InlineData(1)]
    [InlineData((1L << 32) - 1)]
    [InlineData((1L << 40) - 1)]
    public void TakesTicket_EachTurn_HasAllOfThemUntilOneIsMissing(long turn)
    {
        var hold = new LeaseHold<RealSync>(index: 5, gate: null);
        bool[] taken = [.. Enumerable.Range(0, 7).Select(_ => hold.TakesTicket(turn, tickets: 2))];
        taken.ShouldBe([true, true, false, true, true, false, true]);

        hold.TakesTicket(turn + 1, tickets: 2).ShouldBeTrue();
        hold.TakesTicket(turn + 1, tickets: 2).ShouldBeTrue("the turn before has left none of its use");
        hold.TakesTicket(turn + 1, tickets: 2).ShouldBeFalse();
    }
}
