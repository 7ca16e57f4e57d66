using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// How near the process is to its memory limits: those of its control groups, or the machine's memory where no group sets one; the collector's limit; and that
/// of its addresses. Read live, because what the collector knows is as old as its last collection.
/// </summary>
/// <param name="root">Stands for "/".</param>
/// <param name="heap">Use of the collector's limit; <see langword="null"/> asks the collector.</param>
internal sealed class MemoryMeter(string root = "/", Func<MemoryUse>? heap = null)
{
    /// <summary>A look reads a handful of small files, 0.1 to 0.2 ms; four a second are under a thousandth of a core.</summary>
    private const double PeriodSeconds = 0.25;

    /// <summary>The period while the pool grows and the remaining memory must be watched: threads started in between have begun to take memory.</summary>
    private const double ShortPeriodSeconds = 0.01;

    /// <summary>Version 1 writes "no limit" as the largest number of whole pages.</summary>
    private const double NoLimit = 1L << 60;

    private readonly Func<MemoryUse> _heap = heap ?? Heap;
    private readonly ControlGroup _group = new(root, "memory");
    private double _lastAt = double.NegativeInfinity;
    private MemoryUse[] _uses = [MemoryUse.Unknown];

    /// <summary>Memory used as a share of the limit it is nearest to; NaN when nothing is known.</summary>
    public double UsedShare { get; private set; } = double.NaN;

    /// <summary>Use of each limit, in the same order at each look while the process stays in its groups. Not all are known.</summary>
    public MemoryUse[] Uses => _uses;

    /// <summary>Looks when the last look is old enough.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="isHurried">Whether a hundredth of a second is old enough.</param>
    /// <returns>Whether it has looked.</returns>
    public bool Observe(double now, bool isHurried = false)
    {
        if (now - _lastAt < (isHurried ? ShortPeriodSeconds : PeriodSeconds))
        {
            return false;
        }

        _lastAt = now;
        SmallFile.TryLook(Look);
        _uses[0] = _heap();
        UsedShare = double.NaN;
        foreach (MemoryUse use in _uses)
        {
            UsedShare = use.IsKnown && !(use.Share <= UsedShare) ? use.Share : UsedShare;
        }

        return true;
    }

    private void Look()
    {
        _group.Follow();
        int groups = _group.Folders.Count;

        // The first entry is the collector's, which needs no file.
        var uses = new MemoryUse[groups + 3];
        bool isLimited = false;
        for (int i = 0; i < groups; i++)
        {
            uses[i + 3] = GroupUse(_group.Folders[i]);
            isLimited |= uses[i + 3].IsKnown;
        }

        uses[1] = Addresses();
        uses[2] = isLimited ? MemoryUse.Unknown : Machine();
        _uses = uses;
    }

    private MemoryUse GroupUse(string folder)
    {
        // Use is read only where there is a limit: adding it up costs the system half a millisecond in the outermost group. Above "high" the system slows the
        // group down until it has freed memory, so that counts as the limit.
        bool isNew = _group.IsVersion2;
        double limit = isNew ? Math.Min(Number(folder, "memory.max"), Number(folder, "memory.high")) : Number(folder, "memory.limit_in_bytes");
        if (limit is <= 0 or >= NoLimit)
        {
            return MemoryUse.Unknown;
        }

        // File cache that is not in use counts as used and is given back at once.
        double used = Number(folder, isNew ? "memory.current" : "memory.usage_in_bytes");
        double unused = Field(SmallFile.Read(Path.Combine(folder, "memory.stat")), isNew ? "inactive_file " : "total_inactive_file ");
        return used < double.PositiveInfinity ? new MemoryUse(Math.Max(0, used - (double.IsNaN(unused) ? 0 : unused)), limit) : MemoryUse.Unknown;
    }

    // Each thread takes addresses for its stack. Where none are left, the runtime ends the process as soon as it needs some itself.
    private MemoryUse Addresses()
    {
        if (ProcessLimit.Read(root, "Max address space") is not { } limit)
        {
            return MemoryUse.Unknown;
        }

        // The first number is that of all pages.
        string[] pages = (SmallFile.Read(SmallFile.Below(root, "/proc/self/statm")) ?? "").Split(' ', 2);
        bool isKnown = double.TryParse(pages[0], CultureInfo.InvariantCulture, out double used);
        return isKnown ? new MemoryUse(used * Environment.SystemPageSize, limit) : MemoryUse.Unknown;
    }

    private static double Number(string folder, string file) =>
        double.TryParse(SmallFile.Read(Path.Combine(folder, file)), CultureInfo.InvariantCulture, out double value) ? value : double.PositiveInfinity;

    private static double Field(string? text, string key) =>
        double.TryParse(SmallFile.ValueOf(text ?? "", key)?.Split(' ', 2)[0], CultureInfo.InvariantCulture, out double number) ? number : double.NaN;

    // What the collector calls the memory load of a machine without a limit, but at this moment.
    private MemoryUse Machine()
    {
        // No group has a limit, as is known by now. Where the file cannot be read, the collector is asked: a share that stays could hold the growth back
        // forever.
        string? text = SmallFile.TryRead(SmallFile.Below(root, "/proc/meminfo"));
        double total = Field(text, "MemTotal:") * 1_024;
        var machine = new MemoryUse(total - (Field(text, "MemAvailable:") * 1_024), total);
        if (machine.IsKnown)
        {
            return machine;
        }

        GCMemoryInfo info = GC.GetGCMemoryInfo();
        return info.MemoryLoadBytes > 0 ? new MemoryUse(info.MemoryLoadBytes, info.TotalAvailableMemoryBytes) : MemoryUse.Unknown;
    }

    // In a container the collector allows itself three quarters of the limit unless it is configured otherwise.
    private static MemoryUse Heap() => new(GC.GetTotalMemory(forceFullCollection: false), GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
}
