using AdaptivePool.Admission;
using AdaptivePool.Blocking;

namespace AdaptivePool;

/// <summary>
/// The bound of one class's queue. It counts the items that come, go and are refused, and measures how fast the queue drains. No caller blocks here: items
/// come from threads that must not block, such as workers in strict mode.
/// </summary>
internal sealed class QueueBound(WorkClass owner)
{
    /// <summary>
    /// Maximum number of looks at a queue that is full only because of items that are just entering it. Each look after the first ten is at least a yield, so
    /// the looks take milliseconds where the system has stopped a thread on its way into the queue.
    /// </summary>
    private const int MostLooks = 100;

    /// <summary>A shorter wait is the time that a worker takes to come, and says nothing about how fast a queue drains.</summary>
    private static readonly TimeSpan s_realWait = TimeSpan.FromMilliseconds(1);

    private readonly ClassCore _core = owner.Core;
    private readonly long _createdAt = Stopwatch.GetTimestamp();
    private readonly DrainRateRule _drain = new();

    // A lock of the framework would call the wait hook when two threads meet.
    private SpinLock _measuring = new(enableThreadOwnerTracking: false);
    private bool _isPressed;
    private int _coming;
    private int _left;
    private long _refused;
    private long _expired;

    /// <summary>Items that were refused because the maximum number of items waited.</summary>
    public long Refused => Volatile.Read(ref _refused);

    /// <summary>Items that were not run because they waited too long.</summary>
    public long Expired => Volatile.Read(ref _expired);

    private TimeSpan Now => Stopwatch.GetElapsedTime(_createdAt);

    /// <summary>Called for an item that comes. If it may wait, <see cref="Arrived"/> must follow once the item is in the queue, or has failed to enter
    /// it.</summary>
    /// <returns>The refusal; <see langword="null"/> when the item may wait.</returns>
    public WorkRefusedException? Come()
    {
        var pause = default(SpinWait);
        while (true)
        {
            // Pairs with itself and with Arrived: each of several threads that come at once counts the others, until the queue counts them. Otherwise they
            // could all take the last place.
            int coming = Interlocked.Increment(ref _coming) - 1;
            int queued = _core.Queue.Count - Volatile.Read(ref _left);
            int maxQueued = owner.MostQueued;
            if (MayWait(queued + coming, maxQueued, FreePlaces))
            {
                Press();
                return null;
            }

            Arrived();
            bool isFull = !MayWait(queued, maxQueued, FreePlaces);
            if (isFull || pause.Count >= MostLooks)
            {
                Interlocked.Increment(ref _refused);
                string others = isFull || coming == 0 ? "" : $", and {coming} more on the way";
                return Refuse(
                    RefusalReason.QueueFull,
                    $"{BlockingMessageRule.Waiting(queued)} already{others} ({nameof(WorkClass.MaxQueued)} is {maxQueued})",
                    queued);
            }

            // Items that come are just entering the queue, and count twice until Arrived is called.
            pause.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>Called when the item is in the queue, which counts it from now on.</summary>
    public void Arrived() => Interlocked.Decrement(ref _coming);

    /// <summary>
    /// Called when an item has begun on a thread that waited for it, and has left its entry in the queue. The queue counts the entry until its turn comes.
    /// Between a worker's taking of such an entry and its report, one item too many may come.
    /// </summary>
    public void EntryLeft() => Interlocked.Increment(ref _left);

    /// <summary>Called when the turn of such an entry has come.</summary>
    public void EntryPassed() => Interlocked.Decrement(ref _left);

    /// <summary>Called when the turn of an item has come.</summary>
    /// <param name="queuedAt">Timestamp of when the item came.</param>
    /// <param name="isCancelled">Whether its caller has cancelled it.</param>
    /// <returns>The refusal if the item has waited too long; <see langword="null"/> when it is to run, or to end as cancelled.</returns>
    public WorkRefusedException? Begin(long queuedAt, bool isCancelled = false)
    {
        TimeSpan waited = Stopwatch.GetElapsedTime(queuedAt);
        TimeSpan most = owner.LongestQueueTime;
        Drain(waited);
        if (isCancelled || !IsTooLate(waited, most))
        {
            return null;
        }

        Interlocked.Increment(ref _expired);
        Worker.CurrentOf(owner.Pool.Set)?.LeaveOut();
        return Refuse(RefusalReason.QueueTimeout, $"the item waited {waited} ({nameof(WorkClass.MaxQueueTime)} is {most})", _core.Queue.Count);
    }

    private int FreePlaces
    {
        get
        {
            WorkerSet set = owner.Pool.Set;
            int free = _core.Limit.Value - _core.Limit.Active;
            if (_core.Share is not null && set.Shares is { Slots: var shared })
            {
                // The item also needs one of the slots that classes with a weight have together.
                free = Math.Min(free, shared.Value - shared.Active);
            }

            return FreePlacesOf(free, set.Root.Value - set.Root.Active, set.FreeThreads);
        }
    }

    /// <summary>Number of items of a class that are about to leave its queue: those for which there is a place already.</summary>
    /// <param name="free">Places that the class has left below its limit; negative where the class exceeds it.</param>
    /// <param name="freeOfAll">Places that are left for root work of all classes.</param>
    /// <param name="threads">Threads that may take an item. Work in flight has threads, and takes no such place.</param>
    internal static int FreePlacesOf(int free, int freeOfAll, int threads) => Math.Max(0, Math.Min(Math.Min(free, freeOfAll), threads));

    /// <summary>Whether one more item may wait. Items for which there is a place do not count as waiting.</summary>
    internal static bool MayWait(int queued, int maxQueued, int freePlaces) => queued < (long)maxQueued + freePlaces;

    /// <summary>Whether an item has waited too long to be worth its run.</summary>
    /// <param name="waited">How long it has waited.</param>
    /// <param name="most">How long it may wait; negative for as long as it takes.</param>
    internal static bool IsTooLate(TimeSpan waited, TimeSpan most) => most >= TimeSpan.Zero && waited > most;

    /// <summary>Whether an item has waited for a place.</summary>
    internal static bool HasWaited(TimeSpan waited) => waited >= s_realWait;

    private WorkRefusedException Refuse(RefusalReason reason, string what, int queued)
    {
        owner.Pool.CountRefusal(owner.Name, reason);
        using var held = new Measuring(ref _measuring);
        TimeSpan retryAfter = _drain.RetryAfter(queued, Now);
        return new WorkRefusedException($"Work class '{owner.Name}' of pool '{owner.Pool.Name}' refused an item: {what}.", reason, retryAfter);
    }

    /// <summary>Called when an item waits: the clock of the drain rate runs.</summary>
    private void Press()
    {
        if (!Volatile.Read(ref _isPressed))
        {
            using var held = new Measuring(ref _measuring);
            _drain.Resume(Now);
            Volatile.Write(ref _isPressed, true);
        }
    }

    /// <summary>Called when an item has left the queue.</summary>
    private void Drain(TimeSpan waited)
    {
        using var held = new Measuring(ref _measuring);
        TimeSpan now = Now;
        if (HasWaited(waited))
        {
            _drain.Observe(now);
        }

        if (_core.Queue.IsEmpty)
        {
            _drain.Pause(now);
            Volatile.Write(ref _isPressed, false);
        }
    }

    /// <summary>Holds the lock of the measurements.</summary>
    private readonly ref struct Measuring
    {
        private readonly ref SpinLock _lock;

        public Measuring(ref SpinLock free)
        {
            bool isHeld = false;
            free.Enter(ref isHeld);
            _lock = ref free;
        }

        public void Dispose() => _lock.Exit();
    }
}
