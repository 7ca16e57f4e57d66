using System.Globalization;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>CPU time of the threads of a name in another process, as the kernel reports it.</summary>
/// <param name="process">The process's number.</param>
/// <param name="name">The name, of 15 characters at most.</param>
public sealed class ThreadTimes(int process, string name)
{
    private const double NanosecondsPerTick = 1e9 / TimeSpan.TicksPerSecond;

    private Dictionary<string, TimeSpan> _living = [];
    private TimeSpan _ended;

    /// <summary>
    /// CPU time of all threads of the name, those included that have ended, as far as they were seen before; zero if there are none, or if the system does not
    /// report it.
    /// </summary>
    public TimeSpan Look()
    {
        string folder = string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/task");
        Dictionary<string, TimeSpan> living = [];
        foreach (string thread in Directory.Exists(folder) ? Directory.EnumerateDirectories(folder) : [])
        {
            if (TimeOf(thread) is { } time)
            {
                living[thread] = time;
            }
        }

        // The compiler's thread ends when it has had nothing to do for four seconds, and the next one begins at zero, perhaps with the same number.
        foreach ((string thread, TimeSpan before) in _living)
        {
            if (!living.TryGetValue(thread, out TimeSpan now) || now < before)
            {
                _ended += before;
            }
        }

        _living = living;
        return living.Values.Aggregate(_ended, static (sum, time) => sum + time);
    }

    private TimeSpan? TimeOf(string folder)
    {
        try
        {
            return string.Equals(File.ReadAllText(Path.Combine(folder, "comm")).TrimEnd(), name, StringComparison.Ordinal)
                ? TimeSpan.FromTicks(
                    (long)(long.Parse(File.ReadAllText(Path.Combine(folder, "schedstat")).Split(' ')[0], CultureInfo.InvariantCulture) / NanosecondsPerTick))
                : null;
        }
        catch (IOException)
        {
            // The thread has ended.
            return null;
        }
    }
}
