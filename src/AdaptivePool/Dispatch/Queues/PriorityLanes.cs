using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Root work of one class: a FIFO queue per priority, higher ones first. One dequeue in sixteen looks at the low lane first and one at the normal lane, so
/// that neither lane starves beside one that is never empty. The high and low lanes are created when they are first used: most classes never need them.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class PriorityLanes<TSync>
    where TSync : struct, ISync
{
    /// <summary>Dequeues in a round. In one of them the low lane comes first, and in another the normal lane.</summary>
    private const int Round = 16;
    private const int LowTurn = 0;
    private const int NormalTurn = Round / 2;

    private readonly ConcurrentQueue<object> _normal = new();
    private ConcurrentQueue<object>? _high;
    private ConcurrentQueue<object>? _low;
    private TenantLane<TSync>? _tenants;
    private RoutedLanes<TSync>? _routed;
    private int _turn;
    private int _normalTurn;
    private long _highTaken;
    private long _normalTaken;
    private long _normalDue;
    private long _lowTaken;
    private long _lowDue;
    private int _pacedShare;
    private int _pacedLow;
    private bool _isRead;

    public PriorityLanes() => Ages = new QueueAges<TSync>(this);

    /// <summary>How long the waiting items have waited, and what was taken.</summary>
    public QueueAges<TSync> Ages { get; }

    /// <summary>Whether nothing waits; a hint when others enqueue.</summary>
    public bool IsEmpty => TSync.IsEmpty(_normal) && IsNullOrEmpty(ref _high) && IsNullOrEmpty(ref _low) && CountOfTenants == 0
        && TSync.Read(ref _routed) is not { IsEmpty: false };

    /// <summary>Items waiting; a hint when others enqueue.</summary>
    public int Count => NormalCount + CountOf(ref _high) + CountOf(ref _low);

    [BypassReadyToRun]
    public void Enqueue(object item, WorkPriority priority = WorkPriority.Normal)
    {
        ConcurrentQueue<object> lane = priority switch
        {
            WorkPriority.High => LaneOf(ref _high),
            WorkPriority.Low => LaneOf(ref _low),
            _ => _normal,
        };
        TSync.Enqueue(lane, item);
    }

    /// <summary>Adds work of a tenant, of normal priority. All work that names no tenant is that of one more tenant.</summary>
    public void EnqueueFor(string tenant, object item) => LaneOf(ref _tenants).Enqueue(tenant, item);

    /// <summary>Adds work of normal priority that belongs to a group of threads.</summary>
    public void EnqueueAt(int group, object item) => LaneOf(ref _routed).Enqueue(group, item);

    /// <summary>Items that wait for a group of threads; a hint when others enqueue.</summary>
    public int CountAt(int group) => TSync.Read(ref _routed)?.CountOf(group) ?? 0;

    /// <param name="item">What was taken.</param>
    /// <param name="taker">The worker that takes it; <see langword="null"/> for a caller that is in no group.</param>
    [BypassReadyToRun]
    public bool TryDequeue([MaybeNullWhen(false)] out object item, Worker<TSync>? taker = null)
    {
        // Plain: what is read through a reference comes after the reference. A lane that is not seen yet is one that this thread was not told of.
        ConcurrentQueue<object>? high = TSync.Read(ref _high);
        ConcurrentQueue<object>? low = TSync.Read(ref _low);
        TenantLane<TSync>? tenants = TSync.Read(ref _tenants);
        if (high is null && low is null && tenants is null)
        {
            // Each group counts its own looks: a common counter would be a word that moves between the groups.
            return TSync.Read(ref _routed) is { } lanes ? TryTakeRouted(lanes, null, taker, out item) : TSync.TryDequeue(_normal, out item);
        }

        // Atomic: each of several dequeues has a turn of its own, so that none is skipped. Orders nothing.
        uint all = unchecked((uint)TSync.RelaxedIncrement(ref _turn));
        uint turn = all % Round;
        if (KickUpPace.Has(all, TSync.RelaxedRead(ref _pacedShare), out uint paced) && TryTakePaced(low, tenants, taker, paced, out item))
        {
            return true;
        }

        if ((turn == LowTurn && TryTakeLow(low, out item)) || (turn == NormalTurn && TryTakeNormal(tenants, taker, out item)))
        {
            return true;
        }

        return TryTake(high, ref _highTaken, out item) || TryTakeNormal(tenants, taker, out item) || TryTakeLow(low, out item);
    }

    /// <summary>Items that have waited too long behind work of higher priority. A hint.</summary>
    public int DueCount => (int)(Left(ref _normalDue, ref _normalTaken) + Left(ref _lowDue, ref _lowTaken));

    /// <summary>Whether items may wait behind others of a higher priority: whether another one than the normal was ever used.</summary>
    public bool HasPriorities => TSync.Read(ref _high) is not null || TSync.Read(ref _low) is not null;

    /// <summary>Turns so far, once there are lanes that have some; may wrap around.</summary>
    public int Turns => TSync.RelaxedRead(ref _turn);

    /// <summary>Sets how many items have waited too long behind those of higher priority, and how many turns are theirs from now on. Sizing only.</summary>
    /// <param name="normal">How many items of normal priority, from the front of the queue.</param>
    /// <param name="low">The same for low priority.</param>
    /// <param name="pace">The turns.</param>
    public void KickUp(int normal, int low, KickUpPace pace)
    {
        TSync.RelaxedWrite(ref _normalDue, TSync.RelaxedRead(ref _normalTaken) + normal);
        TSync.RelaxedWrite(ref _lowDue, TSync.RelaxedRead(ref _lowTaken) + low);
        TSync.RelaxedWrite(ref _pacedLow, pace.LowOf);
        TSync.RelaxedWrite(ref _pacedShare, pace.Share);
    }

    // These turns have numbers of their own, so that each lane has its part of them.
    private bool TryTakePaced(
        ConcurrentQueue<object>? low, TenantLane<TSync>? tenants, Worker<TSync>? taker, uint turn, [MaybeNullWhen(false)] out object item) =>
        turn % KickUpPace.Parts < TSync.RelaxedRead(ref _pacedLow)
            ? TryTakeLow(low, out item)
            : TryTakeNormal(tenants, taker, out item);

    private bool TryTakeLow(ConcurrentQueue<object>? low, [MaybeNullWhen(false)] out object item) => TryTake(low, ref _lowTaken, out item);

    private bool TryTakeNormal(TenantLane<TSync>? tenants, Worker<TSync>? taker, [MaybeNullWhen(false)] out object item)
    {
        bool isTaken = TSync.Read(ref _routed) is { } routed ? TryTakeRouted(routed, tenants, taker, out item) : TryTakeUnrouted(tenants, out item);
        if (isTaken)
        {
            TSync.Add(ref _normalTaken, 1);
        }

        return isTaken;
    }

    // Alternates with work that has no route.
    private bool TryTakeRouted(RoutedLanes<TSync> routed, TenantLane<TSync>? tenants, Worker<TSync>? taker, [MaybeNullWhen(false)] out object item)
    {
        int group = taker?.Group ?? 0;
        uint turn = routed.NextTurn(group);
        return turn % 2 == 0
            ? TryTakeRoute(routed, group, turn / 2, taker, out item) || TryTakeUnrouted(tenants, out item)
            : TryTakeUnrouted(tenants, out item) || TryTakeRoute(routed, group, turn / 2, taker, out item);
    }

    private static bool TryTakeRoute(RoutedLanes<TSync> routed, int group, uint turn, Worker<TSync>? taker, [MaybeNullWhen(false)] out object item)
    {
        bool isTaken = routed.TryDequeue(group, turn, out item, out bool isBorrowed);
        if (isTaken)
        {
            taker?.NoteRouted();
        }

        if (isBorrowed)
        {
            taker?.Set.Borrows.Add(1);
        }

        return isTaken;
    }

    private bool TryTakeUnrouted(TenantLane<TSync>? tenants, [MaybeNullWhen(false)] out object item)
    {
        if (tenants is null)
        {
            return TSync.TryDequeue(_normal, out item);
        }

        // These turns have numbers of their own: the turns that other lanes leave to this one may all have the same remainder.
        uint turn = unchecked((uint)TSync.RelaxedIncrement(ref _normalTurn));
        return turn % (uint)(tenants.Tenants + 1) == 0
            ? TSync.TryDequeue(_normal, out item) || tenants.TryDequeue(out item)
            : tenants.TryDequeue(out item) || TSync.TryDequeue(_normal, out item);
    }

    // In 64 bits: the due count of a lane from which nothing is ever due stays the same.
    private static long Left(ref long due, ref long taken) => Math.Max(0, TSync.RelaxedRead(ref due) - TSync.RelaxedRead(ref taken));

    /// <summary>The items waiting at this moment, for the debugger. It may have stopped a thread that holds a lock, so this waits for no thread.</summary>
    /// <exception cref="NotSupportedException">A thread is inside the queues of the tenants.</exception>
    public IEnumerable<object> Items
    {
        get
        {
            IEnumerable<(string Tenant, object Item)>? ofTenants = TSync.Read(ref _tenants) is { } lane ? lane.TryRead() : [];
            return ofTenants is not null
                ? WaitingWith(ofTenants).Select(static waiting => waiting.Item)
                : throw new NotSupportedException("A thread is just queueing or taking work of a tenant: what waits cannot be told without waiting for it.");
        }
    }

    /// <summary>The items waiting at this moment and where they wait. A caller that reads root work calls <see cref="NoteRead"/> afterwards.</summary>
    public IEnumerable<(WorkPriority Priority, string? Tenant, int? Group, object Item)> Waiting => WaitingWith(_tenants?.Items ?? []);

    private IEnumerable<(WorkPriority Priority, string? Tenant, int? Group, object Item)> WaitingWith(IEnumerable<(string Tenant, object Item)> ofTenants) =>
        Of(WorkPriority.High, _high ?? [])
            .Concat(Of(WorkPriority.Normal, _normal))
            .Concat(ofTenants.Select(static it => (WorkPriority.Normal, (string?)it.Tenant, (int?)null, it.Item)))
            .Concat((_routed?.Items ?? []).Select(static it => (WorkPriority.Normal, (string?)null, (int?)it.Group, it.Item)))
            .Concat(Of(WorkPriority.Low, _low ?? []));

    /// <summary>Whether items were read that the queues still keep.</summary>
    public bool IsRead => TSync.RelaxedRead(ref _isRead);

    /// <summary>Notes that items were read. <see cref="WorkerSet{TSync}.NoteRead"/> publishes it.</summary>
    public void NoteRead() => TSync.RelaxedWrite(ref _isRead, true);

    /// <summary>
    /// Releases the items that were read and have run since: the framework's queue keeps what was enumerated until its next item has come and gone. Sizing
    /// only, while the class has no work.
    /// </summary>
    /// <returns>Whether an item has come meanwhile. The caller then looks for a worker for it.</returns>
    public bool LetGo()
    {
        if (!IsRead)
        {
            return false;
        }

        TSync.RelaxedWrite(ref _isRead, false);
        bool hasCome = Renew(_normal) | Renew(TSync.Read(ref _high)) | Renew(TSync.Read(ref _low));
        foreach (ConcurrentQueue<object> lane in TSync.Read(ref _routed)?.Queues ?? [])
        {
            hasCome |= Renew(lane);
        }

        return hasCome;
    }

    // A worker may take the placeholder, which does nothing.
    private static bool Renew(ConcurrentQueue<object>? lane)
    {
        if (lane is null)
        {
            return false;
        }

        TSync.Enqueue(lane, RemovedItem.Instance);
        if (!TSync.TryDequeue(lane, out object? first) || first is RemovedItem)
        {
            return false;
        }

        // The item came just now. A worker that was woken for it may have found the lane empty.
        TSync.Enqueue(lane, first);
        return true;
    }

    /// <summary>Whether each lane counts what is taken from it: true once there has been more than one lane. A hint.</summary>
    public bool CountsTaken => TSync.Read(ref _high) is not null || TSync.Read(ref _low) is not null || TSync.Read(ref _tenants) is not null;

    /// <summary>
    /// How many items of a priority were taken while <see cref="CountsTaken"/>, and after that how many wait. The first count may wrap around. No item is in
    /// both. Hints.
    /// </summary>
    public (int Taken, int Waiting) CountsOf(WorkPriority priority) => priority switch
    {
        WorkPriority.High => (unchecked((int)TSync.RelaxedRead(ref _highTaken)), CountOf(ref _high)),
        WorkPriority.Low => (unchecked((int)TSync.RelaxedRead(ref _lowTaken)), CountOf(ref _low)),
        _ => (unchecked((int)TSync.RelaxedRead(ref _normalTaken)), NormalCount),
    };

    /// <summary>Whether the items of a priority wait in more than one queue. A hint.</summary>
    public bool HasTenantsOrRoutes(WorkPriority priority) =>
        priority == WorkPriority.Normal && (TSync.Read(ref _tenants) is not null || TSync.Read(ref _routed) is not null);

    private static IEnumerable<(WorkPriority Priority, string? Tenant, int? Group, object Item)> Of(WorkPriority priority, IEnumerable<object> items) =>
        items.Select(item => (priority, (string?)null, (int?)null, item));

    private int NormalCount => TSync.Count(_normal) + CountOfTenants + (TSync.Read(ref _routed)?.Count ?? 0);

    private int CountOfTenants => TSync.Read(ref _tenants) is { } present ? present.Count : 0;

    private static TLane LaneOf<TLane>(ref TLane? lane)
        where TLane : class, new()
    {
        if (TSync.Read(ref lane) is { } present)
        {
            return present;
        }

        // A thread that loses the race uses the winner's lane, so no item is put into a lane that is never read. Orders nothing: the runtime publishes a new
        // object's content with its reference.
        var added = new TLane();
        return TSync.RelaxedCompareExchange(ref lane, added, null) ?? added;
    }

    private static bool TryTake(ConcurrentQueue<object>? lane, ref long taken, [MaybeNullWhen(false)] out object item)
    {
        item = null;
        if (lane is null || !TSync.TryDequeue(lane, out item))
        {
            return false;
        }

        // Atomic, so that none is left out; orders nothing.
        TSync.Add(ref taken, 1);
        return true;
    }

    private static bool IsNullOrEmpty(ref ConcurrentQueue<object>? lane) => TSync.Read(ref lane) is not { } present || TSync.IsEmpty(present);

    private static int CountOf(ref ConcurrentQueue<object>? lane) => TSync.Read(ref lane) is { } present ? TSync.Count(present) : 0;
}
