using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// How many threads more this process may start until the system refuses: the tightest of its control groups (controller "pids") and the limit of its user.
/// Read live, because others start threads too.
/// </summary>
internal sealed class ThreadRoom
{
    /// <summary>A look reads a handful of small files, 0.1 to 0.2 ms.</summary>
    private const double PeriodSeconds = 0.25;

    private readonly string _root;
    private readonly int _cores;
    private readonly ControlGroup _group;
    private readonly long? _ofUser;
    private IReadOnlyList<string> _folders = [];
    private string[] _limited = [];
    private double _lastAt = double.NegativeInfinity;

    /// <param name="root">Stands for "/".</param>
    /// <param name="most">Threads that a pool may have at all: a user who may have more is not limited.</param>
    /// <param name="cores">Processors of the process; <see langword="null"/> asks the runtime.</param>
    public ThreadRoom(string root, int most, int? cores = null)
    {
        _root = root;
        _cores = cores ?? Environment.ProcessorCount;
        _group = new ControlGroup(root, "pids");
        _ofUser = ProcessLimit.Read(root, "Max processes") is { } limit && limit <= most ? limit : null;
    }

    /// <summary>Threads more that a pool of this process may have, without those that are left to others; <see langword="null"/> for any number.</summary>
    public long? Free { get; private set; }

    /// <summary>Looks when the last look is old enough.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <returns>Whether it has looked. What could be read before and cannot be read now is no answer: where no file is left, what was known holds.</returns>
    public bool Observe(double now)
    {
        if (now - _lastAt < PeriodSeconds)
        {
            return false;
        }

        _lastAt = now;
        Follow();
        long? free = null;
        foreach (string folder in _limited)
        {
            if (SmallFile.TryRead(Path.Combine(folder, "pids.max")) is not { } most || SmallFile.TryRead(Path.Combine(folder, "pids.current")) is not { } used)
            {
                return false;
            }

            // "max" is no number.
            free = Smaller(free, Parse(most), Parse(used));
        }

        if (_ofUser is not null)
        {
            if (SmallFile.TryRead(SmallFile.Below(_root, "/proc/self/status")) is not { } status)
            {
                return false;
            }

            // The user's other processes count there too, and are not known.
            free = Smaller(free, _ofUser, Parse(SmallFile.ValueOf(status, "Threads:")));
        }

        Free = free;
        return true;
    }

    // The group at the root has no limit, and no such file: to ask for it each time would cost an exception.
    private void Follow()
    {
        _group.Follow();
        if (!ReferenceEquals(_folders, _group.Folders))
        {
            _folders = _group.Folders;
            _limited = [.. _folders.Where(static folder => File.Exists(Path.Combine(folder, "pids.max")))];
        }
    }

    private long? Smaller(long? free, long? limit, long? used) =>
        limit is { } of && used is { } now ? Math.Min(free ?? long.MaxValue, of - now - ThreadRoomRule.Kept(of, _cores)) : free;

    private static long? Parse(string? text) =>
        long.TryParse(text?.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value : null;
}
