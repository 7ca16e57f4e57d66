using System.Globalization;

namespace AdaptivePool.Scenarios.Scenarios.Idle;

/// <summary>Reads how often threads of this process gave up their core by themselves: every wake-up ends so.</summary>
public static class ThreadSwitches
{
    private const string Field = "voluntary_ctxt_switches:";

    /// <summary>Voluntary switches of all living threads except the calling one.</summary>
    public static long Total()
    {
        string self = new FileInfo("/proc/thread-self").ResolveLinkTarget(returnFinalTarget: false)?.Name ?? "";
        long total = 0;
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            if (Path.GetFileName(task) != self)
            {
                total += Read(Path.Combine(task, "status"));
            }
        }

        return total;
    }

    private static long Read(string path)
    {
        try
        {
            string? line = File.ReadLines(path).FirstOrDefault(l => l.StartsWith(Field, StringComparison.Ordinal));
            return line is null ? 0 : long.Parse(line.AsSpan(Field.Length).Trim(), CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            // The thread ended between listing and reading.
            return 0;
        }
    }
}
