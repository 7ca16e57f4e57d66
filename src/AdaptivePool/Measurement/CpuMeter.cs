using System.Globalization;
using AdaptivePool.Internal;

namespace AdaptivePool.Measurement;

/// <summary>
/// CPU use of the process and idle CPU of the cores it may use, over windows of at least 30 ms: idle counters advance every 10 ms, and shorter windows read anything between 0.58 and
/// 1.00 at the same load (sizing study, section 3).
/// </summary>
internal sealed class CpuMeter
{
    private const double WindowSeconds = 0.03;

    /// <summary>Clock ticks per second of /proc/stat: USER_HZ, 100 on every Linux that .NET runs on.</summary>
    private const double TicksPerSecond = 100;

    private readonly HashSet<string> _allowed = AllowedCores();
    private readonly char[] _text = new char[64 * 1024];
    private double _lastAt = double.NaN;
    private double _lastOwn;
    private double _lastIdle;

    public CpuMeter()
    {
        double quota = Quota();
        Cores = Math.Min(_allowed.Count > 0 ? _allowed.Count : Environment.ProcessorCount, quota);
        HasQuota = Cores.Equals(quota);
    }

    /// <summary>Cores the process may use: the affinity mask, or the quota of its container when that is less.</summary>
    public double Cores { get; }

    /// <summary>CPU of the process over the last window, in cores.</summary>
    public double OwnCores { get; private set; }

    /// <summary>Idle CPU of the allowed cores over the last window, in cores; the unused quota in a container.</summary>
    public double IdleCores { get; private set; }

    /// <summary>Whether a window has been measured and the system tells its idle time.</summary>
    public bool IsKnown { get; private set; }

    private bool HasQuota { get; }

    /// <summary>Looks at the counters when the window is over.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Observe(double now)
    {
        double elapsed = now - _lastAt;
        if (elapsed < WindowSeconds)
        {
            return;
        }

        double own = NativeMethods.HasSystemCalls ? NativeMethods.ProcessCpuSeconds() : Environment.CpuUsage.TotalTime.TotalSeconds;
        double idle = IdleSeconds();
        if (elapsed < 10 * WindowSeconds && !double.IsNaN(idle))
        {
            OwnCores = (own - _lastOwn) / elapsed;
            double free = Math.Clamp((idle - _lastIdle) / elapsed, 0, Cores);
            IdleCores = HasQuota ? Math.Clamp(Math.Min(free, Cores - OwnCores), 0, Cores) : free;
            IsKnown = true;
        }

        _lastAt = now;
        _lastOwn = own;
        _lastIdle = idle;
    }

    /// <summary>Forgets the open window: after a pause its mean would say nothing about now.</summary>
    public void Restart() => _lastAt = double.NegativeInfinity;

    private double IdleSeconds()
    {
        if (!OperatingSystem.IsLinux())
        {
            return double.NaN;
        }

        try
        {
            using var reader = new StreamReader("/proc/stat");
            int length = reader.ReadBlock(_text);
            double ticks = 0;
            foreach (ReadOnlySpan<char> line in _text.AsSpan(0, length).EnumerateLines())
            {
                if (!line.StartsWith("cpu", StringComparison.Ordinal))
                {
                    break;
                }

                if (line.Length > 3 && char.IsAsciiDigit(line[3]))
                {
                    ticks += IdleTicks(line);
                }
            }

            return ticks / TicksPerSecond;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return double.NaN;
        }
    }

    // cpuN user nice system idle iowait ...: a core that only waits for a disk is free for us.
    private double IdleTicks(ReadOnlySpan<char> line)
    {
        double ticks = 0;
        int field = 0;
        foreach (Range range in line.Split(' '))
        {
            ReadOnlySpan<char> value = line[range];
            if (field == 0 && !_allowed.GetAlternateLookup<ReadOnlySpan<char>>().Contains(value[3..]))
            {
                return 0;
            }

            if (field is 4 or 5)
            {
                ticks += double.Parse(value, CultureInfo.InvariantCulture);
            }

            field++;
        }

        return ticks;
    }

    private static HashSet<string> AllowedCores()
    {
        var cores = new HashSet<string>(StringComparer.Ordinal);
        if (!OperatingSystem.IsLinux())
        {
            return cores;
        }

        try
        {
            const string Key = "Cpus_allowed_list:";
            string? line = File.ReadLines("/proc/self/status").FirstOrDefault(static text => text.StartsWith(Key, StringComparison.Ordinal));
            foreach (string part in (line ?? Key)[Key.Length..].Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            {
                string[] ends = part.Split('-');
                for (int core = int.Parse(ends[0], CultureInfo.InvariantCulture); core <= int.Parse(ends[^1], CultureInfo.InvariantCulture); core++)
                {
                    cores.Add(core.ToString(CultureInfo.InvariantCulture));
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            cores.Clear();
        }

        return cores;
    }

    private static double Quota()
    {
        try
        {
            // cgroup v2: "quota period" in microseconds, or "max period".
            string[] parts = File.Exists("/sys/fs/cgroup/cpu.max") ? File.ReadAllText("/sys/fs/cgroup/cpu.max").Split(' ') : [];
            if (parts.Length == 2
                && double.TryParse(parts[0], CultureInfo.InvariantCulture, out double quota)
                && double.TryParse(parts[1], CultureInfo.InvariantCulture, out double period))
            {
                return quota / period;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // No quota can be read: the affinity mask alone counts.
        }

        return double.PositiveInfinity;
    }
}
