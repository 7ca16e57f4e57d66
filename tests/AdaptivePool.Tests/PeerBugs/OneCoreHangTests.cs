using AdaptivePool.Tests.Faults;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// On machines with one or two cores Java's ForkJoinPool ran out of threads for tasks that wait for each other, and applications hung. https://github.com/gchq/stroom/issues/5466.
/// </summary>
public sealed class OneCoreHangTests
{
    [Fact]
    public void OneCore_TreeOfTasksThatWaitForTheirChildren_Ends()
    {
        using var child = new ChildRun(OneCore.Configure, "nested");
        child.Ask("report").ShouldBe("cores 1 leaves 32 rescues 0");
        child.End().ShouldBe(0);
    }
}
