using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Dispatch;

internal sealed partial class WorkerSet<TSync>
{
    [ThreadStatic]
    private static ThreadMark? t_ownersOfThread;

    private readonly string _name;
    private readonly int _stackSize;
    private readonly ThreadSource<TSync> _threadSource;
    private readonly SyncLock<TSync> _registry = new();
    private readonly ThreadMark _mark;
    private Worker<TSync>?[] _workers = new Worker<TSync>?[16];
    private int _maxThreads;
    private int _mostThreads = int.MaxValue;
    private int _existing;
    private int _starting;
    private int _peak;
    private long _created;
    private long _creationFailures;
    private int _lent;
    private int _lentAlive;

    /// <summary>All workers by number; empty places between them. Replaced as a whole when it grows.</summary>
    public Worker<TSync>?[] Workers => TSync.RelaxedRead(ref _workers);

    public int Existing => TSync.RelaxedRead(ref _existing);

    public int PeakThreads => TSync.RelaxedRead(ref _peak);

    public long ThreadsCreated => TSync.RelaxedRead(ref _created);

    public long CreationFailures => TSync.RelaxedRead(ref _creationFailures);

    public int MaxThreads
    {
        get => TSync.RelaxedRead(ref _maxThreads);
        set
        {
            TSync.RelaxedWrite(ref _maxThreads, value);
            Root.Set(MostRoot(value));
        }
    }

    /// <summary>Threads that the memory allows; the maximum applies as well. Only the sizing thread writes it.</summary>
    public int MostThreads
    {
        get => TSync.RelaxedRead(ref _mostThreads);
        set => TSync.RelaxedWrite(ref _mostThreads, value);
    }

    /// <summary>Places for workers at first. The model checker uses few.</summary>
    public int InitialPlaces { init => _workers = new Worker<TSync>?[value]; }

    /// <summary>Slots of each of a worker's own queues at first. The model checker uses few.</summary>
    public int LocalCapacity { get; init; } = WorkStealingQueue<TSync>.DefaultCapacity;

    /// <summary>Whether one more thread may exist, as far as can be seen without a lock. A hint.</summary>
    public bool MayGrow => Existing < Math.Min(MaxThreads, MostThreads);

    /// <summary>
    /// Threads that exist or may start, without those that have a place of root work or a slot of work in flight. Threads on their way count too. A hint.
    /// </summary>
    public int FreeThreads => Math.Max(Existing, Math.Min(MaxThreads, MostThreads)) - Root.Active - InFlight.Limit.Active;

    /// <inheritdoc/>
    public override Sleeper<TSync>? TryGet(int id) => WorkerOf(id);

    /// <summary>The worker of a number; <see langword="null"/> when it has retired.</summary>
    public Worker<TSync>? WorkerOf(int id)
    {
        Worker<TSync>?[] workers = Workers;
        return id < workers.Length ? TSync.RelaxedRead(ref workers[id]) : null;
    }

    /// <summary>Threads that are missing: one for each item that may run and has no worker, and one spare.</summary>
    public int MissingThreads()
    {
        int existing = Existing;
        int lent = TSync.RelaxedRead(ref _lent);
        int room = Math.Min(MaxThreads + lent, MostThreads) - existing;
        if (room <= 0 || Stopped)
        {
            return 0;
        }

        // No more than this is asked for, so the search stops there.
        int coming = Idle.Count + TSync.RelaxedRead(ref _starting);
        long most = room + coming;
        long wanted = 1 + Unserved(InFlight, LocalSpareCount(most));
        most = Math.Min(most, wanted + Math.Max(0, Root.Value - Root.Active));
        bool restored = false;
        int number = -1;
        while (wanted < most && (number = Ready.Find(number + 1, Ready.Capacity, ref restored)) >= 0)
        {
            wanted = Math.Min(most, wanted + (number == SharedNumber ? Shares!.Unserved(most - wanted) : Unserved(Classes[number], 0)));
        }

        if (restored)
        {
            EnsureWorker();
        }

        // In a deadlock, as many threads are lent as may be, and no more: room may grow at any time by a new maximum.
        wanted = Math.Max(wanted - coming, lent - TSync.RelaxedRead(ref _lentAlive));
        return (int)Math.Clamp(wanted, 0, room);
    }

    /// <summary>Starts one worker. Called by the starter thread only.</summary>
    /// <returns><see langword="false"/> when there is no memory or no thread for it.</returns>
    public bool TryStartWorker()
    {
        Worker<TSync>? worker = null;
        try
        {
            if (!TryRegister(out worker)
                || _threadSource.TryStart(() => Run(worker), $"{_name} worker {worker.Id}", _stackSize, out _))
            {
                return true;
            }
        }
        catch (OutOfMemoryException)
        {
            // As good as a refusal. On the starter's thread no other code would catch it.
        }

        TSync.Add(ref _creationFailures, 1);
        if (worker is not null)
        {
            using (_registry.Hold())
            {
                TSync.RelaxedWrite(ref _starting, TSync.Read(ref _starting) - 1);
            }

            OnExit(worker);
        }

        return false;
    }

    /// <summary>The system's number of the calling thread; 0 for none.</summary>
    public int CurrentThreadId() => _threadSource.CurrentThreadId();

    /// <summary>Whether the caller is a thread of this pool: a worker, or one that called <see cref="EnterThread"/>.</summary>
    public bool IsOwnThread => t_ownersOfThread?.IsOf(this) == true || Worker<TSync>.CurrentOf(this) is not null;

    /// <summary>Marks the calling thread as one that belongs to this pool as well: code on it that ends the pool would wait for this thread.</summary>
    /// <returns>Ends the mark; a thread of the pool's own keeps it.</returns>
    public Entered EnterThread()
    {
        ThreadMark? before = t_ownersOfThread;
        t_ownersOfThread = before is null ? _mark : new ThreadMark(this, before);
        return new(before);
    }

    /// <summary>Runs a user's code, or code whose mistake must not end the calling thread. What it throws is reported.</summary>
    public void Guard(Action body)
    {
        try
        {
            body();
        }
        catch (Exception exception)
        {
            ReportFault(exception);
        }
    }

    /// <summary>Counts what code has thrown, and reports it. Throws nothing itself.</summary>
    public void ReportFault(Exception exception)
    {
        try
        {
            _faulted.Add(1);
            _onFault(exception);
        }
        catch (OutOfMemoryException)
        {
            // The report takes memory, which may be what is lacking. The thread goes on.
        }
    }

    /// <summary>Starts a thread that is no worker.</summary>
    public bool TryStartThread(Action body, string name, out Exception? failure) => _threadSource.TryStart(body, name, _stackSize, out failure);

    /// <summary>Called by a worker at its end.</summary>
    public void OnEnd(Worker<TSync> worker)
    {
        using OwedWake<TSync> owed = OweWake();
        OnExit(worker);

        // Pairs with enqueue, fence, request in EnsureWorker: a thread that queued while this worker took up its place was told that there is room for no
        // other. A worker, not only a thread: a look that sets a bit again may have hidden the work from a worker that has just lain down.
        TSync.Fence();
        if (!Stopped && HasEligibleWork())
        {
            EnsureWorker();
        }
    }

    private void OnExit(Worker<TSync> worker)
    {
        using SyncLock<TSync>.Holder held = _registry.Hold();
        TSync.RelaxedWrite(ref TSync.Read(ref _workers)[worker.Id], null);
        TSync.RelaxedWrite(ref _existing, TSync.Read(ref _existing) - 1);
        if (worker.IsLent)
        {
            TSync.RelaxedWrite(ref _lentAlive, TSync.Read(ref _lentAlive) - 1);
            worker.IsLent = false;
        }
    }

    /// <summary>Lets threads beyond <see cref="MaxThreads"/> run what waits, whatever the limits say. Monitor only.</summary>
    /// <param name="threads">How many; 0 takes them back: they end as soon as they are idle.</param>
    public void Lend(int threads)
    {
        // Pairs with the look in TryRegister, under the same lock: no worker becomes an emergency worker after the end of the emergency.
        using (_registry.Hold())
        {
            TSync.RelaxedWrite(ref _lent, threads);
            TSync.RelaxedWrite(ref _lentAlive, 0);
            foreach (Worker<TSync> worker in TSync.Read(ref _workers).OfType<Worker<TSync>>())
            {
                worker.IsLent = false;

                // A worker that is kept free for work in flight is lent, too.
                worker.IsEmergency = threads > 0 && (worker.Sequence & 1) == 0;
            }
        }

        // Pairs with the exchange in StarterLoop.Run: where its flag is still seen as raised, the look that follows sees what is lent.
        TSync.Fence();
        RequestThreads();
    }

    /// <summary>All threads but one, and at least one.</summary>
    private static int MostRoot(int maxThreads) => Math.Max(1, maxThreads - 1);

    private static long Unserved(ClassCore<TSync> candidate, int extra) =>
        candidate.IsServed ? 0 : Math.Max(0, Math.Min(candidate.Queue.Count + extra, candidate.Limit.Value - candidate.Limit.Active));

    private void Run(Worker<TSync> worker)
    {
        using (_registry.Hold())
        {
            int starting = TSync.Read(ref _starting) - 1;
            TSync.RelaxedWrite(ref _starting, starting);
            TSync.RelaxedWrite(ref _created, TSync.Read(ref _created) + 1);
            TSync.RelaxedWrite(ref _peak, Math.Max(TSync.Read(ref _peak), TSync.Read(ref _existing) - starting));
        }

        worker.Run();
    }

    private int LocalSpareCount(long most)
    {
        int count = 0;
        bool restored = false;
        int number = -1;
        while (count < most && (number = Spare.Find(number + 1, Spare.Capacity, ref restored)) >= 0)
        {
            count += WorkerOf(number)?.LocalCount ?? 0;
        }

        return count;
    }

    private bool TryRegister([NotNullWhen(true)] out Worker<TSync>? worker)
    {
        worker = null;
        using SyncLock<TSync>.Holder held = _registry.Hold();
        int existing = TSync.Read(ref _existing);
        int lent = TSync.Read(ref _lent);
        if (Stopped || existing >= Math.Min(MaxThreads + lent, MostThreads))
        {
            return false;
        }

        Worker<TSync>?[] workers = TSync.Read(ref _workers);
        int id = Array.IndexOf(workers, null);
        if (id < 0)
        {
            id = workers.Length;
            Array.Resize(ref workers, 2 * id);
        }

        // All memory is there before anything is counted or published.
        int lentAlive = TSync.Read(ref _lentAlive);
        bool isLent = lent > lentAlive;
        var created = new Worker<TSync>(this, id, _threadSource.CreateParking()) { IsLent = isLent, IsEmergency = isLent };

        // A thread that finds the worker's number in the idle stack has acquired its head, which the worker's own push released after this.
        TSync.RelaxedWrite(ref workers[id], created);
        TSync.RelaxedWrite(ref _workers, workers);
        TSync.RelaxedWrite(ref _existing, existing + 1);
        TSync.RelaxedWrite(ref _lentAlive, lentAlive + (isLent ? 1 : 0));
        TSync.RelaxedWrite(ref _starting, TSync.Read(ref _starting) + 1);
        worker = created;
        return true;
    }

    /// <summary>Ends what <see cref="EnterThread"/> began.</summary>
    public readonly ref struct Entered(ThreadMark? before)
    {
        public void Dispose() => t_ownersOfThread = before;
    }

    /// <summary>The pools that a thread belongs to, the last one first: the end of a function of one pool may end a function of another.</summary>
    /// <param name="Set">The last of them.</param>
    /// <param name="Before">Those before it; <see langword="null"/> for none.</param>
    public sealed record ThreadMark(WorkerSet<TSync> Set, ThreadMark? Before)
    {
        public bool IsOf(WorkerSet<TSync> set) => ReferenceEquals(Set, set) || Before?.IsOf(set) == true;
    }
}
