using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

public sealed class OwedWakeTests
{
    [Fact]
    public void Owe_UntilItsEnd_IsSeenByItsCreditorAlone()
    {
        (int mine, int other) = (WakeDebt.NewCreditor(), WakeDebt.NewCreditor());
        using (new OwedWake(mine))
        {
            Seen(mine).ShouldBeTrue();
            Seen(other).ShouldBeFalse();
        }

        Seen(mine).ShouldBeFalse();
    }

    [Fact]
    public void Owe_InsideAnother_LeavesTheOuterOneAsItWas()
    {
        (int outer, int inner) = (WakeDebt.NewCreditor(), WakeDebt.NewCreditor());
        using (new OwedWake(outer))
        {
            using (new OwedWake(inner))
            {
                Seen(inner).ShouldBeTrue();
            }

            Seen(outer).ShouldBeTrue();
            Seen(inner).ShouldBeFalse();
        }
    }

    [Fact]
    public void Owe_Throws_Ends()
    {
        int mine = WakeDebt.NewCreditor();
        Should.Throw<InvalidOperationException>(() => Fail(mine));
        Seen(mine).ShouldBeFalse();
    }

    /// <summary>More threads than entries are kept for: those of the ended ones go, those that live stay.</summary>
    [Fact]
    public void Owe_ManyThreadsComeAndGo_ThoseThatLiveAreSeen()
    {
        int mine = WakeDebt.NewCreditor();
        using var owed = new OwedWake(mine);
        for (int i = 0; i < 200; i++)
        {
            var thread = new Thread(() => Touch(mine));
            thread.Start();
            thread.Join();
            if (i % 50 == 0)
            {
                GC.Collect();
            }
        }

        Seen(mine).ShouldBeTrue();
    }

    private static bool Seen(int creditor)
    {
        bool isSeen = false;
        var other = new Thread(() => isSeen = OwedWake.IsOwedTo(creditor));
        other.Start();
        other.Join();
        return isSeen;
    }

    private static void Touch(int creditor)
    {
        using var owed = new OwedWake(creditor);
    }

    private static void Fail(int creditor)
    {
        using var owed = new OwedWake(creditor);
        throw new InvalidOperationException();
    }
}
