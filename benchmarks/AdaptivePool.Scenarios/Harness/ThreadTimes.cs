using System.Globalization;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>CPU time of the threads of another process, as the kernel reports it.</summary>
public static class ThreadTimes
{
    private const double NanosecondsPerTick = 1e9 / TimeSpan.TicksPerSecond;

    /// <summary>CPU time of all living threads of a name; zero if there are none, or if the system does not report it.</summary>
    /// <param name="process">The process's number.</param>
    /// <param name="name">The name, of 15 characters at most.</param>
    public static TimeSpan Of(int process, string name)
    {
        string folder = string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/task");
        return Directory.Exists(folder)
            ? Directory.EnumerateDirectories(folder).Aggregate(TimeSpan.Zero, (sum, thread) => sum + OfThread(thread, name))
            : TimeSpan.Zero;
    }

    private static TimeSpan OfThread(string folder, string name)
    {
        try
        {
            return string.Equals(File.ReadAllText(Path.Combine(folder, "comm")).TrimEnd(), name, StringComparison.Ordinal)
                ? TimeSpan.FromTicks(
                    (long)(long.Parse(File.ReadAllText(Path.Combine(folder, "schedstat")).Split(' ')[0], CultureInfo.InvariantCulture) / NanosecondsPerTick))
                : TimeSpan.Zero;
        }
        catch (IOException)
        {
            // The thread has ended.
            return TimeSpan.Zero;
        }
    }
}
