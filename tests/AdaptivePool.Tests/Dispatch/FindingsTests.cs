using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Dispatch;

public sealed class FindingsTests
{
    [Theory]
    [InlineData(WaitPrimitive.Task, true, false, BlockingAction.Throw)]
    [InlineData(WaitPrimitive.Event, true, false, BlockingAction.Throw)]
    [InlineData(WaitPrimitive.Lock, true, false, BlockingAction.Warn)]
    [InlineData(WaitPrimitive.MonitorWait, true, false, BlockingAction.Warn)]
    [InlineData(WaitPrimitive.Task, false, false, BlockingAction.Warn)]
    [InlineData(WaitPrimitive.Event, false, false, BlockingAction.Warn)]
    [InlineData(WaitPrimitive.Task, true, true, BlockingAction.Ignore)]
    internal void Decide_Throw_ThrowsOnlyWhereItDoesNoHarm(WaitPrimitive primitive, bool isDirect, bool isOwn, BlockingAction expected) =>
        Findings.Decide(BlockingAction.Throw, new WaitSite("M", "k", primitive, isDirect, isOwn, WaitTarget.Local)).ShouldBe(expected);

    [Theory]
    [InlineData(WaitPrimitive.Task)]
    [InlineData(WaitPrimitive.Lock)]
    internal void Decide_Warn_Warns(WaitPrimitive primitive) =>
        Findings.Decide(BlockingAction.Warn, new WaitSite("M", "k", primitive, IsDirect: true, IsOwn: false, WaitTarget.Local)).ShouldBe(BlockingAction.Warn);
}
