using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class JumpGuardTests
{
    [Theory]
    [InlineData(10, 100, true)]
    [InlineData(20, 100, false)]
    [InlineData(100, 100, false)]
    [InlineData(0, 1, true)]
    public void IsFalseJump_ConnectionsPerThread_RefusesUnderOneFifth(int connections, int size, bool isFalse)
        => JumpGuard.IsFalseJump(connections, size, 0.2).ShouldBe(isFalse);

    [Fact]
    public void IsFalseJump_ConnectionsNotKnown_RefusesNothing()
        => JumpGuard.IsFalseJump(null, int.MaxValue, 0.2).ShouldBeFalse();

    [Theory]
    [InlineData(10, 30, false)]
    [InlineData(10, 31, true)]
    [InlineData(0, 21, true)]
    [InlineData(100, 50, false)]
    public void IsFalseTransition_ThreadsAboveConnections_RefusesOverTwenty(int connections, int size, bool isFalse)
        => JumpGuard.IsFalseTransition(connections, size, 20).ShouldBe(isFalse);

    [Fact]
    public void IsFalseTransition_ConnectionsNotKnown_RefusesNothing()
        => JumpGuard.IsFalseTransition(null, int.MaxValue, 20).ShouldBeFalse();
}
