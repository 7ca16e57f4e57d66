namespace AdaptivePool.Tests.Faults;

/// <summary>A process with one core: everything ends there too, only later.</summary>
public sealed class OneCoreTests
{
    [Fact]
    public void OneCore_SyncOverAsyncSleepersAndHogs_AllEnd()
    {
        using var child = new ChildRun(OneCore.Configure, "smoke");
        child.Ask("report").ShouldBe("cores 1 capped True others True rescues 0");
        child.End().ShouldBe(0);
    }
}
