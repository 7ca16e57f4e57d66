namespace AdaptivePool.Tests.Faults;

/// <summary>The heap is full for moments, as in a container with little memory: the process and all that was accepted live through it, as on the runtime's
/// pool.</summary>
public sealed class FullHeapTests
{
    [Fact]
    public void FullForMoments_ProcessGoesOnAndAllThatWasAcceptedRuns()
    {
        using var child = new ChildRun(static start => start.Environment["DOTNET_GCHeapHardLimit"] = "8000000", "heap");
        child.Output().Trim().ShouldEndWith("lost 0 pending 0 full True");
        child.End().ShouldBe(0);
    }
}
