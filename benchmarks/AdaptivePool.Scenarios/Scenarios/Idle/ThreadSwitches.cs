using System.Globalization;

namespace AdaptivePool.Scenarios.Scenarios.Idle;

/// <summary>Reads how often threads of this process gave up their core by themselves: every wake-up ends so.</summary>
public static class ThreadSwitches
{
    private const string Field = "voluntary_ctxt_switches:";

    /// <summary>Voluntary switches of each living thread except the calling one, by thread.</summary>
    public static IReadOnlyDictionary<string, long> Read()
    {
        string self = new FileInfo("/proc/thread-self").ResolveLinkTarget(returnFinalTarget: false)?.Name ?? "";
        return Directory.GetDirectories("/proc/self/task")
            .Where(task => Path.GetFileName(task) != self)
            .ToDictionary(task => task, task => ReadThread(Path.Combine(task, "status")), StringComparer.Ordinal);
    }

    /// <summary>Switches between two readings. A thread that ended in between counts as one wake-up, the least that ending takes.</summary>
    public static long Between(IReadOnlyDictionary<string, long> before, IReadOnlyDictionary<string, long> after) =>
        after.Sum(t => t.Value - before.GetValueOrDefault(t.Key)) + before.Keys.Count(t => !after.ContainsKey(t));

    private static long ReadThread(string path)
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
