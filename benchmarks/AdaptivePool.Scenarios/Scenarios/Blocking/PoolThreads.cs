using System.Globalization;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>The threads of a pool in this process, by name, as the system counts them.</summary>
/// <param name="OwnCpuSeconds">CPU time of threads that are no workers: sizing, monitor, starter; of the runtime's pool the gate thread.</param>
/// <param name="MonitorCpuSeconds">Of these, the thread that classifies workers; 0 for the runtime's pool, which has none.</param>
/// <param name="OwnSwitches">How often those gave up their core by themselves: every wake-up ends so.</param>
/// <param name="WorkerSwitches">The same of workers.</param>
public readonly record struct PoolThreads(double OwnCpuSeconds, double MonitorCpuSeconds, long OwnSwitches, long WorkerSwitches)
{
    private const string Tasks = "/proc/self/task";
    private const string Switches = "voluntary_ctxt_switches:";

    /// <summary>The system keeps 15 characters of a name.</summary>
    private const int NameLength = 15;

    /// <summary>Reads the counters of all living threads. A thread of the pool ends only when it is superfluous, which takes longer than any measurement
    /// here.</summary>
    public static PoolThreads Read(ComparedPool pool)
    {
        (string own, string workers) = pool is AdaptiveComparedPool adaptive ? (adaptive.Pool.Name + " ", adaptive.Pool.Name + " worker")
            : (".NET TP Gate", ".NET TP Worker");
        string monitor = own + "blocking monitor";
        double cpu = 0;
        double monitorCpu = 0;
        long ownSwitches = 0;
        long workerSwitches = 0;
        foreach (string task in Directory.GetDirectories(Tasks))
        {
            string name = ReadLine(Path.Combine(task, "comm")) ?? "";
            if (name.StartsWith(Cut(workers), StringComparison.Ordinal))
            {
                workerSwitches += ReadSwitches(task);
            }
            else if (name.StartsWith(Cut(own), StringComparison.Ordinal))
            {
                double used = ReadCpuSeconds(task);
                cpu += used;
                monitorCpu += name.StartsWith(Cut(monitor), StringComparison.Ordinal) ? used : 0;
                ownSwitches += ReadSwitches(task);
            }
        }

        return new(cpu, monitorCpu, ownSwitches, workerSwitches);
    }

    private static string Cut(string name) => name.Length <= NameLength ? name : name[..NameLength];

    /// <summary>In nanoseconds where the system keeps them; otherwise in its ticks, of which user and system time are the 12th and 13th field after the
    /// name.</summary>
    private static double ReadCpuSeconds(string task)
    {
        if (ReadLine(Path.Combine(task, "schedstat")) is { } exact)
        {
            return double.Parse(exact.AsSpan(0, exact.IndexOf(' ', StringComparison.Ordinal)), CultureInfo.InvariantCulture) * 1e-9;
        }

        const double TicksPerSecond = 100;
        string stat = ReadLine(Path.Combine(task, "stat")) ?? "";
        string[] fields = stat[(stat.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length < 13 ? 0
            : (long.Parse(fields[11], CultureInfo.InvariantCulture) + long.Parse(fields[12], CultureInfo.InvariantCulture)) / TicksPerSecond;
    }

    private static long ReadSwitches(string task)
    {
        try
        {
            string? line = File.ReadLines(Path.Combine(task, "status")).FirstOrDefault(static l => l.StartsWith(Switches, StringComparison.Ordinal));
            return line is null ? 0 : long.Parse(line.AsSpan(Switches.Length).Trim(), CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            // The thread ended between listing and reading.
            return 0;
        }
    }

    private static string? ReadLine(string path)
    {
        try
        {
            return File.ReadLines(path).FirstOrDefault();
        }
        catch (IOException)
        {
            // The thread ended, or the system keeps no such file.
            return null;
        }
    }
}
