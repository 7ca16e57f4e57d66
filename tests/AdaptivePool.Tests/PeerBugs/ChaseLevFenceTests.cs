using AdaptivePool.Tests.ModelChecking;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// The classic mistake in ports of the Chase-Lev deque: the owner lowers bottom and reads top without a full fence, and now and then an item is taken twice. A
/// port to C# wrote bottom as volatile, which is not enough: https://github.com/genaray/ZeroAllocJobScheduler (WorkStealingQueue.cs). The fence was proved necessary by Le, Pop, Cohen and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models", 2013.
/// </summary>
public sealed class ChaseLevFenceTests : PeerBugTest
{
    [Fact]
    public void OurDeque_WithoutTheFenceOfThePop_IsFound()
        => RequireFoundInOurs("deque: pops and steals", "TryPop", OperationKind.WriteAndFence, Weakening.NoFence);
}
