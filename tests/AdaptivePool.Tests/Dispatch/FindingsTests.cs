using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Dispatch;

public sealed class FindingsTests
{
    [Theory]
    [InlineData(true, false, BlockingAction.Throw)]
    [InlineData(false, false, BlockingAction.Warn)]
    [InlineData(true, true, BlockingAction.Ignore)]
    public void Decide_Throw_ThrowsOnlyWhereItDoesNoHarm(bool mayThrow, bool isOwn, BlockingAction expected) =>
        Findings.Decide(BlockingAction.Throw, new WaitSite("M", "k", mayThrow, isOwn, WaitTarget.Local)).ShouldBe(expected);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Decide_Warn_Warns(bool mayThrow) =>
        Findings.Decide(BlockingAction.Warn, new WaitSite("M", "k", mayThrow, IsOwn: false, WaitTarget.Local)).ShouldBe(BlockingAction.Warn);
}
