using System.Diagnostics;

namespace AdaptivePool.Tests.Faults;

/// <summary>Gives a child process one core: by the system where that is possible, and by the runtime's setting.</summary>
internal static class OneCore
{
    private const string TaskSet = "/usr/bin/taskset";

    public static void Configure(ProcessStartInfo start)
    {
        start.Environment["DOTNET_PROCESSOR_COUNT"] = "1";
        if (!File.Exists(TaskSet))
        {
            return;
        }

        string[] command = [start.FileName, .. start.ArgumentList];
        start.FileName = TaskSet;
        start.ArgumentList.Clear();
        foreach (string part in (string[])["-c", FirstAllowedCore(), .. command])
        {
            start.ArgumentList.Add(part);
        }
    }

    private static string FirstAllowedCore()
    {
        string line = File.ReadLines("/proc/self/status").First(static l => l.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
        return line.Split('\t')[1].Split(',', '-')[0];
    }
}
