using System.Globalization;

namespace AdaptivePool.Tests.Faults;

/// <summary>The system refuses the thread of the agent that answers HAProxy: the start fails, and nothing of it is left.</summary>
public sealed class AgentThreadRefusedTests
{
    [LinuxTheory]
    [InlineData("agent")]
    public void AgentThreadRefused_FailsTheStart_AndLeavesNeitherSocketNorThread(string load)
    {
        using var child = new ChildRun(
            static start =>
            {
                start.Environment["DOTNET_Thread_DefaultStackSize"] = ChildAgent.StackBytes.ToString("x", CultureInfo.InvariantCulture);

                // The runtime starts no thread of its own meanwhile.
                start.Environment["DOTNET_TieredCompilation"] = "0";
            },
            load);
        child.Ask("report").ShouldBe("failure OutOfMemoryException monitors 1 free True");
        child.End().ShouldBe(0);
    }
}
