using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// How near the process is to its memory limit: the tightest of its control groups and the collector's limit; the machine's memory where no group sets a limit.
/// Read live, because what the collector knows is as old as its last collection.
/// </summary>
/// <param name="root">Stands for "/".</param>
/// <param name="heapShare">Use of the collector's limit, as a share; <see langword="null"/> asks the collector.</param>
internal sealed class MemoryMeter(string root = "/", Func<double>? heapShare = null)
{
    /// <summary>A look reads a handful of small files, 0.1 to 0.2 ms; four a second are under a thousandth of a core.</summary>
    private const double PeriodSeconds = 0.25;

    /// <summary>Version 1 writes "no limit" as the largest number of whole pages.</summary>
    private const double NoLimit = 1L << 60;

    private readonly Func<double> _heapShare = heapShare ?? HeapShare;
    private readonly ControlGroup _group = new(root, "memory");
    private double _lastAt = double.NegativeInfinity;
    private double _share = double.NaN;

    /// <summary>Memory used as a share of the limit it is nearest to; NaN when nothing is known.</summary>
    public double UsedShare { get; private set; } = double.NaN;

    /// <summary>Looks when the last look is old enough.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Observe(double now)
    {
        if (now - _lastAt < PeriodSeconds)
        {
            return;
        }

        _lastAt = now;
        SmallFile.TryLook(Look);
        UsedShare = Larger(_share, _heapShare());
    }

    private void Look()
    {
        _group.Follow();
        double share = double.NaN;
        foreach (string folder in _group.Folders)
        {
            share = Larger(share, GroupShare(folder));
        }

        _share = double.IsNaN(share) ? MachineShare() : share;
    }

    private static double Larger(double a, double b) => double.IsNaN(a) ? b : double.IsNaN(b) ? a : Math.Max(a, b);

    private double GroupShare(string folder)
    {
        // Use is read only where there is a limit: adding it up costs the system half a millisecond in the outermost group. Above "high" the system slows the
        // group down until it has freed memory: that is as good as the end.
        bool isNew = _group.IsVersion2;
        double limit = isNew ? Math.Min(Number(folder, "memory.max"), Number(folder, "memory.high")) : Number(folder, "memory.limit_in_bytes");
        if (limit is <= 0 or >= NoLimit)
        {
            return double.NaN;
        }

        // The file cache that nobody uses counts as used and is given back at once.
        double used = Number(folder, isNew ? "memory.current" : "memory.usage_in_bytes");
        double unused = Field(SmallFile.Read(Path.Combine(folder, "memory.stat")), isNew ? "inactive_file " : "total_inactive_file ");
        return used < double.PositiveInfinity ? Math.Max(0, used - (double.IsNaN(unused) ? 0 : unused)) / limit : double.NaN;
    }

    private static double Number(string folder, string file) =>
        double.TryParse(SmallFile.Read(Path.Combine(folder, file)), CultureInfo.InvariantCulture, out double value) ? value : double.PositiveInfinity;

    private static double Field(string? text, string key)
    {
        foreach (ReadOnlySpan<char> line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith(key, StringComparison.Ordinal))
            {
                ReadOnlySpan<char> value = line[key.Length..].Trim();
                int end = value.IndexOf(' ');
                return double.TryParse(end < 0 ? value : value[..end], CultureInfo.InvariantCulture, out double number) ? number : double.NaN;
            }
        }

        return double.NaN;
    }

    // What the collector calls the memory load of a machine without a limit, but of this moment.
    private double MachineShare()
    {
        // That there is no limit is known by now. Where the file cannot be read the collector is asked: a share that stays could hold the growth for ever.
        string? text = SmallFile.TryRead(SmallFile.Below(root, "/proc/meminfo"));
        double share = 1 - (Field(text, "MemAvailable:") / Field(text, "MemTotal:"));
        if (!double.IsNaN(share))
        {
            return share;
        }

        GCMemoryInfo info = GC.GetGCMemoryInfo();
        return info.TotalAvailableMemoryBytes > 0 && info.MemoryLoadBytes > 0 ? (double)info.MemoryLoadBytes / info.TotalAvailableMemoryBytes : double.NaN;
    }

    // In a container the collector allows itself three quarters of the limit unless it is told otherwise.
    private static double HeapShare()
    {
        long available = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        return available > 0 ? (double)GC.GetTotalMemory(forceFullCollection: false) / available : double.NaN;
    }
}
