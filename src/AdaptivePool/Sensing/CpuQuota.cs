using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>The CPU quota of the process's control groups, read anew at each call: it can be changed while the process runs.</summary>
internal sealed class CpuQuota(string root)
{
    private readonly ControlGroup _group = new(root, "cpu");

    /// <summary>The smallest quota of the own group and its ancestors, in cores; infinite where none is set.</summary>
    /// <exception cref="IOException">It cannot be read now.</exception>
    public double Read()
    {
        _group.Follow();
        double smallest = double.PositiveInfinity;
        foreach (string folder in _group.Folders)
        {
            smallest = Math.Min(smallest, _group.IsVersion2 ? Quota(folder) : QuotaOfVersion1(folder));
        }

        return smallest;
    }

    // "quota period" in microseconds, or "max period".
    private static double Quota(string folder) =>
        SmallFile.Read(Path.Combine(folder, "cpu.max"))?.Split(' ') is { Length: 2 } parts ? Cores(parts[0], parts[1]) : double.PositiveInfinity;

    // -1 is no quota.
    private static double QuotaOfVersion1(string folder) =>
        Cores(SmallFile.Read(Path.Combine(folder, "cpu.cfs_quota_us")), SmallFile.Read(Path.Combine(folder, "cpu.cfs_period_us")));

    private static double Cores(string? quota, string? period) =>
        double.TryParse(quota, CultureInfo.InvariantCulture, out double used)
        && double.TryParse(period, CultureInfo.InvariantCulture, out double length)
        && used > 0
        && length > 0
            ? used / length
            : double.PositiveInfinity;
}
