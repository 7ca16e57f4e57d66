namespace AdaptivePool.Tests.Faults;

/// <summary>A process with one core: everything ends there too, only later.</summary>
public sealed class OneCoreTests
{
    private const string TaskSet = "/usr/bin/taskset";

    [Fact]
    public void OneCore_SyncOverAsyncSleepersAndHogs_AllEnd()
    {
        using var child = new ChildRun(
            static start =>
            {
                start.Environment["DOTNET_PROCESSOR_COUNT"] = "1";
                if (File.Exists(TaskSet))
                {
                    string[] command = [start.FileName, .. start.ArgumentList];
                    start.FileName = TaskSet;
                    start.ArgumentList.Clear();
                    foreach (string part in (string[])["-c", FirstAllowedCore(), .. command])
                    {
                        start.ArgumentList.Add(part);
                    }
                }
            },
            "smoke");

        child.Ask("report").ShouldBe("cores 1 capped True others True rescues 0");
        child.End().ShouldBe(0);
    }

    private static string FirstAllowedCore()
    {
        string line = File.ReadLines("/proc/self/status").First(static l => l.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
        return line.Split('\t')[1].Split(',', '-')[0];
    }
}
