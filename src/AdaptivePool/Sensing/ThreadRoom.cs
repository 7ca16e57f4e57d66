using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// How many more threads this process may start until the system refuses: the tightest of its control groups (controller "pids") and the limit of its user.
/// Read live, because other processes start threads too.
/// </summary>
/// <param name="root">Stands for "/".</param>
/// <param name="most">Threads that a pool may have at all. A higher limit of the user does not count.</param>
/// <param name="cores">Processors of the process; <see langword="null"/> asks the runtime.</param>
internal sealed class ThreadRoom(string root, int most, int? cores = null)
{
    /// <summary>A look reads a handful of small files, 0.1 to 0.2 ms.</summary>
    private const double PeriodSeconds = 0.25;

    private readonly int _cores = cores ?? Environment.ProcessorCount;
    private readonly ControlGroup _group = new(root, "pids");
    private double _lastAt = double.NegativeInfinity;

    /// <summary>How many more threads a pool of this process may have, without those that are left to others; <see langword="null"/> for any number.</summary>
    public long? Free { get; private set; }

    /// <summary>Looks when the last look is old enough.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="isOutdated">Whether the last look is too old whenever it was.</param>
    /// <returns>Whether it has looked.</returns>
    public bool Observe(double now, bool isOutdated = false)
    {
        if (!isOutdated && now - _lastAt < PeriodSeconds)
        {
            return false;
        }

        _lastAt = now;
        return SmallFile.TryLook(Look);
    }

    private void Look()
    {
        _group.Follow();
        long? free = null;
        foreach (string folder in _group.Folders)
        {
            // The group at the root has no limit, and no such file. "max" is no number.
            free = Smaller(free, Parse(SmallFile.Read(Path.Combine(folder, "pids.max"))), Parse(SmallFile.Read(Path.Combine(folder, "pids.current"))));
        }

        if (ProcessLimit.Read(root, "Max processes") is { } ofUser && ofUser <= most)
        {
            // The user's other processes count there too, and are not known.
            string status = SmallFile.Read(SmallFile.Below(root, "/proc/self/status")) ?? "";
            free = Smaller(free, ofUser, Parse(SmallFile.ValueOf(status, "Threads:")));
        }

        Free = free;
    }

    private long? Smaller(long? free, long? limit, long? used) =>
        limit is { } of && used is { } now ? Math.Min(free ?? long.MaxValue, of - now - ThreadRoomRule.Kept(of, _cores)) : free;

    private static long? Parse(string? text) =>
        long.TryParse(text?.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value : null;
}
