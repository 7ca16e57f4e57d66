using AdaptivePool.Dispatch;

namespace AdaptivePool.Sensing;

/// <summary>
/// Which item each worker is at, since when, and whether it sleeps: one pass over the workers per tick. Ages are exact to a tick, which costs the workers
/// nothing; a class's totals are in <see cref="Totals"/>.
/// </summary>
internal sealed class WorkerWatch
{
    private readonly List<(long Sequence, double Since)> _items = [];
    private readonly Dictionary<ClassCore, Totals> _totals = [];
    private readonly List<Totals> _seen = [];

    /// <summary>Workers that were at the same item at the look before, and for how long: what waits behind it is held up.</summary>
    public List<(Worker Worker, double Seconds)> RunningOn { get; } = [];

    /// <summary>Sum of all heartbeats: changes whenever an item starts or ends anywhere.</summary>
    public long Heartbeats { get; private set; }

    /// <summary>Looks at all workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds, without what the process stood still.</param>
    public void Observe(Worker?[] workers, double now)
    {
        foreach (Totals totals in _seen)
        {
            totals.Clear();
        }

        _seen.Clear();
        RunningOn.Clear();
        while (_items.Count < workers.Length)
        {
            _items.Add((-1, now));
        }

        long heartbeats = 0;
        for (int i = 0; i < workers.Length; i++)
        {
            Worker? worker = workers[i];
            long sequence = worker?.Sequence ?? -1;
            heartbeats += sequence;
            bool moved = sequence != _items[i].Sequence;
            if (moved)
            {
                _items[i] = (sequence, now);
            }

            if (worker is null || (sequence & 1) == 0 || worker.Slot is not { } slot)
            {
                continue;
            }

            if (!moved)
            {
                RunningOn.Add((worker, now - _items[i].Since));
            }

            Count(worker, slot, now - _items[i].Since);
        }

        Heartbeats = heartbeats;
    }

    public Totals? Of(ClassCore target) => _totals.GetValueOrDefault(target);

    private void Count(Worker worker, ClassCore slot, double age)
    {
        if (!_totals.TryGetValue(slot, out Totals? totals))
        {
            _totals[slot] = totals = new Totals();
        }

        if (worker.Blocked && slot.IsInFlight)
        {
            // It has lent its slot: it counts for nobody.
            return;
        }

        if (totals.Busy == 0)
        {
            _seen.Add(totals);
        }

        totals.Busy++;
        bool waits = worker.IsSeenWaiting;
        totals.Ages.Add(age, waits);
        if (worker.IsDeclared)
        {
            totals.Sleeping++;
            totals.WaitingForTasks++;
        }
        else if (worker.Blocked)
        {
            (double sleeping, double forTask) = worker.WaitShares(slot);
            totals.Sleeping += sleeping;
            totals.WaitingForTasks += forTask;
        }
        else if (waits)
        {
            totals.Sleeping++;
        }
    }

    /// <summary>What one pass saw of a class.</summary>
    internal sealed class Totals
    {
        public int Busy { get; set; }

        public double Sleeping { get; set; }

        /// <summary>Of these, waits that the hook saw, for tasks or declared: certain at once, not only after a while.</summary>
        public double WaitingForTasks { get; set; }

        public ItemAges Ages { get; } = new();

        public double SleepingShare => Busy == 0 ? 0 : Math.Clamp(Sleeping / Busy, 0, 1);

        public double TaskWaitShare => Busy == 0 ? 0 : Math.Clamp(WaitingForTasks / Busy, 0, 1);

        public void Clear()
        {
            Busy = 0;
            Sleeping = 0;
            WaitingForTasks = 0;
            Ages.Clear();
        }
    }
}
