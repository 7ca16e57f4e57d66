using AdaptivePool.Classes;
using AdaptivePool.Workers;

namespace AdaptivePool.Measurement;

/// <summary>
/// Which item each worker is at, since when, and whether it sleeps: one pass over the workers per tick. Ages are exact to a tick, which costs the workers nothing; a class's
/// totals are in <see cref="Totals"/>.
/// </summary>
internal sealed class WorkerWatch
{
    private readonly List<(long Sequence, double Since)> _items = [];
    private readonly Dictionary<ClassCore, Totals> _totals = [];
    private readonly List<Totals> _seen = [];

    /// <summary>Sum of all heartbeats: changes whenever an item starts or ends anywhere.</summary>
    public long Heartbeats { get; private set; }

    /// <summary>Looks at all workers.</summary>
    /// <param name="workers">All workers.</param>
    /// <param name="now">Time in seconds, without what the process stood still.</param>
    /// <returns>Whether a worker holds local work while its item runs on and on: somebody else should take that work.</returns>
    public bool Observe(Worker?[] workers, double now)
    {
        foreach (Totals totals in _seen)
        {
            totals.Clear();
        }

        _seen.Clear();

        while (_items.Count < workers.Length)
        {
            _items.Add((-1, now));
        }

        bool heldUp = false;
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
                worker.TimeNextItems();
                if (worker.HasLocal)
                {
                    worker.OfferLoneItem();
                    heldUp = true;
                }
            }

            Count(worker, slot, i, sequence, now - _items[i].Since);
        }

        Heartbeats = heartbeats;
        return heldUp;
    }

    public Totals? Of(ClassCore target) => _totals.GetValueOrDefault(target);

    /// <summary>Whether an item seen earlier has ended.</summary>
    public bool HasEnded(int worker, long sequence) => worker >= _items.Count || _items[worker].Sequence != sequence;

    private void Count(Worker worker, ClassCore slot, int index, long sequence, double age)
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
        totals.Items.Add((index, sequence));
        bool waits = worker.IsSeenWaiting;
        totals.Ages.Add((age, waits));
        if (age >= totals.OldestAge)
        {
            totals.OldestAge = age;
            totals.Oldest = (index, sequence);
        }

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

        public double OldestAge { get; set; }

        public (int Worker, long Sequence) Oldest { get; set; } = (-1, -1);

        public List<(int Worker, long Sequence)> Items { get; } = [];

        /// <summary>Age of each item without the time in which the process stood still, and whether its thread waits where the runtime sees it.</summary>
        public List<(double Seconds, bool Waits)> Ages { get; } = [];

        public double SleepingShare => Busy == 0 ? 0 : Math.Clamp(Sleeping / Busy, 0, 1);

        public double TaskWaitShare => Busy == 0 ? 0 : Math.Clamp(WaitingForTasks / Busy, 0, 1);

        public void Clear()
        {
            Busy = 0;
            Sleeping = 0;
            WaitingForTasks = 0;
            OldestAge = 0;
            Oldest = (-1, -1);
            Items.Clear();
            Ages.Clear();
        }

        /// <summary>How many items are older than so long.</summary>
        public int CountOlder(double seconds, bool waits)
        {
            int count = 0;
            if (OldestAge > seconds)
            {
                foreach ((double age, bool itWaits) in Ages)
                {
                    count += age > seconds && itWaits == waits ? 1 : 0;
                }
            }

            return count;
        }
    }
}
