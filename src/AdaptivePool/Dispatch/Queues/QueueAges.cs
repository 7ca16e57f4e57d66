using System.Collections.ObjectModel;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// How old the waiting items in the lanes of a class are, and how long their taken items waited: the one place that knows. The sizing thread looks with each
/// of its looks, which are milliseconds apart while work waits; other code asks here. The items that wait too long determine which turns belong to the lower
/// priorities.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="lanes">The lanes.</param>
internal sealed class QueueAges<TSync>(PriorityLanes<TSync> lanes)
    where TSync : struct, ISync
{
    /// <summary>The share of the time limit that is kept in reserve, because items do not go exactly as the numbers say.</summary>
    private const double Spare = 1.0 / 16;

    /// <summary>The priorities, the lowest first.</summary>
    private static readonly WorkPriority[] s_priorities = Enum.GetValues<WorkPriority>();

    private readonly SyncLock<TSync> _lock = new();
    private readonly KickUpPace _pace = new();
    private QueueClock[] _clocks = [];
    private bool _countsTaken;

    /// <summary>The time of looks, in seconds.</summary>
    public static double Now => Stopwatch.GetElapsedTime(0, TSync.Timestamp()).TotalSeconds;

    /// <summary>Items that waited at the last look. Sizing only.</summary>
    public int Waiting { get; private set; }

    /// <summary>Items that were taken, and for how many seconds they waited, all together. Sizing only.</summary>
    public (long Items, double Seconds) Taken
    {
        get
        {
            (long items, double seconds) = (0, 0);
            foreach (QueueClock clock in _clocks)
            {
                (items, seconds) = (items + clock.Gone, seconds + clock.GoneSeconds);
            }

            return (items, seconds);
        }
    }

    /// <summary>Takes a look. Sizing only.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="started">Items of the class that were started so far, or nearly; may wrap around. Used while the lanes do not count.</param>
    /// <param name="local">Items of the class that wait elsewhere.</param>
    /// <param name="kickUpAfter">How long is too long behind work of higher priority; negative for never.</param>
    public void Look(double now, int started, int local, TimeSpan kickUpAfter)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        if (_clocks.Length == 0)
        {
            _clocks = new QueueClock[s_priorities.Length];
            for (int i = 0; i < _clocks.Length; i++)
            {
                _clocks[i] = new QueueClock();
            }
        }

        if (!_countsTaken && lanes.CountsTaken)
        {
            _countsTaken = true;
            ClockOf(WorkPriority.Normal).Recount(0);
        }

        Waiting = 0;
        foreach (WorkPriority priority in s_priorities)
        {
            if (!_countsTaken && priority != WorkPriority.Normal)
            {
                continue;
            }

            (int taken, int waiting) = lanes.CountsOf(priority);
            waiting += priority == WorkPriority.Normal ? local : 0;
            ClockOf(priority).Look(now, waiting, _countsTaken ? taken : started);
            Waiting += waiting;
        }

        if (kickUpAfter >= TimeSpan.Zero && lanes.HasPriorities)
        {
            KickUp(now, kickUpAfter.TotalSeconds);
        }
    }

    /// <summary>How long the oldest item waits, in seconds; zero when none was seen.</summary>
    /// <param name="now">Time in seconds.</param>
    public double OldestWait(double now)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        double oldest = 0;
        foreach (QueueClock clock in _clocks)
        {
            oldest = Math.Max(oldest, clock.AgeOf(0, now) ?? 0);
        }

        return oldest;
    }

    /// <summary>How long an item has waited; <see langword="null"/> where that is not known.</summary>
    /// <param name="priority">Its priority.</param>
    /// <param name="position">Items of that priority before it.</param>
    /// <param name="now">Time in seconds.</param>
    public TimeSpan? AgeOf(WorkPriority priority, int position, double now)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        // Lanes of tenants and of groups are not first in, first out with each other: the ages of all of them say nothing of one item.
        bool isKnown = _clocks.Length > 0 && !lanes.HasTenantsOrRoutes(priority);
        return isKnown && ClockOf(priority).AgeOf(position, now) is { } age ? TimeSpan.FromSeconds(age) : null;
    }

    /// <summary>Readings of the clocks by priority, all of one moment. Priorities that had no item are left out.</summary>
    /// <typeparam name="T">Type of a reading.</typeparam>
    /// <param name="now">Time in seconds.</param>
    /// <param name="tell">Reads a clock. Called inside the lock.</param>
    public IReadOnlyDictionary<WorkPriority, T> Tell<T>(double now, Func<QueueClock, T> tell)
    {
        // A class that never had work allocates nothing: there may be thousands of such classes.
        Dictionary<WorkPriority, T>? told = null;
        using SyncLock<TSync>.Holder held = _lock.Hold();
        for (int i = 0; i < _clocks.Length; i++)
        {
            _clocks[i].Decay(now);
            if (_clocks[i].IsUsed)
            {
                (told ??= []).Add(s_priorities[i], tell(_clocks[i]));
            }
        }

        return told ?? (IReadOnlyDictionary<WorkPriority, T>)ReadOnlyDictionary<WorkPriority, T>.Empty;
    }

    /// <summary>Forgets the waits so far.</summary>
    public void Reset()
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        Array.ForEach(_clocks, static clock => clock.Reset());
    }

    private QueueClock ClockOf(WorkPriority priority) => _clocks[(int)priority - (int)WorkPriority.Low];

    private void KickUp(double now, double after)
    {
        QueueClock normal = ClockOf(WorkPriority.Normal);
        QueueClock low = ClockOf(WorkPriority.Low);
        double most = (1 - Spare) * after;
        _pace.Observe(now, lanes.Turns, normal.NeededPerSecond(most, now), low.NeededPerSecond(most, now));
        lanes.KickUp(normal.CountFrom(after, now), low.CountFrom(after, now), _pace);
    }
}
