using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// How long the items of each class wait, by priority: looked at by the sizing thread at each of its looks, which are milliseconds apart while work waits.
/// </summary>
internal sealed class QueueStatistics(WorkerSet set)
{
    /// <summary>The priorities, the lowest first.</summary>
    private static readonly WorkPriority[] s_priorities = Enum.GetValues<WorkPriority>();

    private readonly Lock _lock = new();
    private readonly Dictionary<ClassCore, Lanes> _lanes = [];

    /// <summary>What had work at the last look: it is looked at once more. There may be ten thousand classes that have had some.</summary>
    private readonly List<Lanes> _withWork = [];

    /// <summary>Takes a look.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Look(double now)
    {
        lock (_lock)
        {
            for (ClassCore? core = set.NextUsed(0); core is not null; core = set.NextUsed(core.Number + 1))
            {
                Lanes lanes = _lanes.TryGetValue(core, out Lanes? known) ? known : _lanes[core] = new Lanes(core);
                if (!lanes.HadWork)
                {
                    _withWork.Add(lanes);
                }
            }

            _withWork.RemoveAll(lanes => !lanes.Look(now));
        }
    }

    /// <summary>For each share the wait that as many of a class's items did not pass, by priority; nothing of those that had none. All of one
    /// moment.</summary>
    /// <param name="core">The class.</param>
    /// <param name="shares">0 to 1.</param>
    public Dictionary<WorkPriority, TimeSpan>[] Percentiles(ClassCore core, params double[] shares)
    {
        lock (_lock)
        {
            return [.. shares.Select(share => OfUsed(core, clock => TimeSpan.FromSeconds(clock.Percentile(share))))];
        }
    }

    /// <summary>How many items of a class waited how long, by priority; nothing of those that had none.</summary>
    /// <param name="core">The class.</param>
    public Dictionary<WorkPriority, IReadOnlyDictionary<TimeSpan, double>> Histograms(ClassCore core)
    {
        lock (_lock)
        {
            return OfUsed<IReadOnlyDictionary<TimeSpan, double>>(core, static clock => new OrderedDictionary<TimeSpan, double>(clock.Histogram));
        }
    }

    /// <summary>Items that wait, class by class in the order in which its queue would give them of each priority.</summary>
    /// <param name="most">Most rows.</param>
    /// <param name="now">Time in seconds.</param>
    public IReadOnlyList<QueuedItemSnapshot> Rows(int most, double now)
    {
        List<QueuedItemSnapshot> rows = [];
        foreach (ClassCore core in set.Classes)
        {
            var positions = new Dictionary<(WorkPriority, string?, int?), int>();
            foreach ((WorkPriority priority, string? tenant, int? group, object item) in core.Queue.Waiting.Take(most - rows.Count))
            {
                int position = positions.GetValueOrDefault((priority, tenant, group));
                positions[(priority, tenant, group)] = position + 1;
                rows.Add(new QueuedItemSnapshot
                {
                    ClassName = core.Name,
                    Priority = priority,
                    Tenant = tenant,
                    Group = group,
                    Position = position,
                    Item = (item as BoundedItem)?.Description ?? Describe(item),
                    Age = (item as BoundedItem)?.Age ?? AgeOf(core, priority, tenant is null && group is null ? position : -1, now),
                });
            }
        }

        return rows;
    }

    /// <summary>Forgets the waits so far.</summary>
    public void Reset()
    {
        lock (_lock)
        {
            foreach (Lanes lanes in _lanes.Values)
            {
                lanes.Reset();
            }
        }
    }

    /// <summary>What waits, in a word or two: the type of an item of the program's, or how it was given to the pool.</summary>
    public static string Describe(object item) => item switch
    {
        HeldBackItem { Item: { } held } => Describe(held),
        ScheduledTask => nameof(Task),
        Task task => task.GetType().Name.Split('`')[0],
        IAsyncItem<RealSync> => "function",
        _ when item.GetType().Assembly == typeof(QueueStatistics).Assembly => "callback",
        _ => item.GetType().FullName ?? item.GetType().Name,
    };

    private Dictionary<WorkPriority, T> OfUsed<T>(ClassCore core, Func<LaneClock, T> tell) => _lanes.GetValueOrDefault(core) is { } lanes
        ? s_priorities.Where(priority => lanes[priority].IsUsed).ToDictionary(static it => it, it => tell(lanes[it]))
        : [];

    // Lanes of tenants and of groups are not first in, first out with each other: what is known of all of them says nothing of one item.
    private TimeSpan? AgeOf(ClassCore core, WorkPriority priority, int position, double now)
    {
        lock (_lock)
        {
            return position >= 0 && !core.Queue.HasTenantsOrRoutes(priority) && _lanes.GetValueOrDefault(core)?[priority].AgeOf(position, now) is { } age
                ? TimeSpan.FromSeconds(age)
                : null;
        }
    }

    /// <summary>The lanes of one class.</summary>
    private sealed class Lanes(ClassCore core)
    {
        private LaneClock[] _clocks = Create();
        private bool _countsTaken;

        /// <summary>Whether something waited at the last look.</summary>
        public bool HadWork { get; private set; }

        public LaneClock this[WorkPriority priority] => _clocks[(int)priority - (int)WorkPriority.Low];

        /// <summary>Takes a look.</summary>
        /// <returns>Whether something waits.</returns>
        public bool Look(double now)
        {
            if (core.Queue.CountsTaken != _countsTaken)
            {
                // Another count.
                _countsTaken = !_countsTaken;
                _clocks = Create();
            }

            HadWork = false;
            foreach (WorkPriority priority in s_priorities)
            {
                (int waiting, int taken) = core.Queue.CountsOf(priority);
                this[priority].Look(now, waiting, _countsTaken ? taken : unchecked((int)core.Completed + core.Limit.Active));
                HadWork |= waiting > 0;
            }

            return HadWork;
        }

        public void Reset() => Array.ForEach(_clocks, static clock => clock.Reset());

        private static LaneClock[] Create() => [.. s_priorities.Select(static _ => new LaneClock())];
    }
}
