using System.Diagnostics;

namespace AdaptivePool.Tests.Faults;

/// <summary>A process that has no file left to open, as a server with too many connections: what is looked at again and again is seen all the same.</summary>
public sealed class NoFileLeftTests
{
    [LinuxTheory]
    [InlineData("files")]
    public void NoFileLeft_WorkerThatBurns_IsSeenToUseTheCpu(string load)
    {
        using var child = new ChildRun(AllowFewFiles, load);
        child.Ask("take all").ShouldBe("seen True");
        child.End().ShouldBe(0);
    }

    private static void AllowFewFiles(ProcessStartInfo start)
    {
        string[] command = [start.FileName, .. start.ArgumentList];
        start.FileName = "/bin/sh";
        start.ArgumentList.Clear();
        foreach (string part in (string[])["-c", "ulimit -n 400; exec \"$0\" \"$@\"", .. command])
        {
            start.ArgumentList.Add(part);
        }
    }
}
