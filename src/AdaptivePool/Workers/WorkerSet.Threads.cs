using System.Diagnostics;
using AdaptivePool.Classes;

namespace AdaptivePool.Workers;

internal sealed partial class WorkerSet
{
    private readonly string _name;
    private readonly int _stackSize;
    private readonly ThreadSource _threadSource;
    private readonly Lock _registry = new();
    private Worker?[] _workers = new Worker?[16];
    private int _maxThreads;
    private int _existing;
    private int _starting;
    private int _peak;
    private long _created;
    private long _creationFailures;
    private double _threadCreationSeconds;
    private bool _stopped;

    /// <summary>All workers by number; empty places between them. Replaced as a whole when it grows.</summary>
    public Worker?[] Workers => Volatile.Read(ref _workers);

    public int Existing => Volatile.Read(ref _existing);

    public int PeakThreads => Volatile.Read(ref _peak);

    public long ThreadsCreated => Volatile.Read(ref _created);

    public long CreationFailures => Volatile.Read(ref _creationFailures);

    /// <summary>Whether the workers have ended for good.</summary>
    public bool Stopped => Volatile.Read(ref _stopped);

    /// <summary>Time from asking the system for a worker's thread until it runs, smoothed; 0 before the first.</summary>
    public double ThreadCreationSeconds => Volatile.Read(ref _threadCreationSeconds);

    public int MaxThreads
    {
        get => Volatile.Read(ref _maxThreads);
        set => Volatile.Write(ref _maxThreads, value);
    }

    /// <summary>Asks the starter thread for workers. Set before the first item.</summary>
    public Action RequestThreads { get; set; } = static () => { };

    public Worker? TryGet(int id)
    {
        Worker?[] workers = Workers;
        return id < workers.Length ? Volatile.Read(ref workers[id]) : null;
    }

    /// <summary>Threads that are missing: one for each item that may run and has no worker, and one spare.</summary>
    public int MissingThreads()
    {
        int existing = Existing;
        int room = MaxThreads - existing;
        if (room <= 0 || Stopped)
        {
            return 0;
        }

        long wanted = 1 + Unserved(InFlight, LocalSpareCount());
        foreach (ClassCore candidate in Classes)
        {
            wanted += Unserved(candidate, 0);
        }

        return (int)Math.Clamp(wanted - Idle.Count - Volatile.Read(ref _starting), 0, room);
    }

    /// <summary>Starts one worker. Called by the starter thread only.</summary>
    public bool TryStartWorker()
    {
        Worker worker;
        lock (_registry)
        {
            if (_stopped || _existing >= MaxThreads)
            {
                return true;
            }

            worker = Register();
            _starting++;
        }

        long requestedAt = Stopwatch.GetTimestamp();
        if (_threadSource.TryStart(() => Run(worker, requestedAt), $"{_name} worker {worker.Id}", _stackSize, out _))
        {
            return true;
        }

        Interlocked.Increment(ref _creationFailures);
        lock (_registry)
        {
            _starting--;
        }

        OnExit(worker);
        return false;
    }

    /// <summary>Starts a thread that is no worker.</summary>
    public bool TryStartThread(Action body, string name, out Exception? failure) => _threadSource.TryStart(body, name, _stackSize, out failure);

    /// <summary>Called by a worker at its end.</summary>
    public void OnExit(Worker worker)
    {
        lock (_registry)
        {
            Volatile.Write(ref _workers[worker.Id], null);
            Volatile.Write(ref _existing, _existing - 1);
        }
    }

    /// <summary>Ends idle workers, at most the given number.</summary>
    public int Retire(int count)
    {
        int retired = 0;
        while (retired < count && Idle.TryPop() is { } worker)
        {
            worker.Wake(searching: false, retire: true);
            retired++;
        }

        return retired;
    }

    /// <summary>Ends all workers: idle ones at once, the others after their item. What is queued goes to the runtime's pool.</summary>
    public void Stop()
    {
        lock (_registry)
        {
            _stopped = true;
        }

        // Pairs with enqueue, fence, look at Stopped: an item queued before is handed over here, one queued later by its enqueuer.
        Interlocked.MemoryBarrier();
        HandOver();
        Retire(int.MaxValue);
    }

    /// <summary>Gives queued work to the runtime's pool, which the documentation names as the fallback after the end: nothing accepted is lost.</summary>
    public void HandOver()
    {
        foreach (ClassCore source in Classes)
        {
            HandOver(source);
        }

        while (TryTakeInFlight() is { } item)
        {
            HandOver(item, InFlight.Owner);
        }
    }

    private static void HandOver(ClassCore source)
    {
        while (source.Queue.TryDequeue(out object? item))
        {
            HandOver(item, source.Owner);
        }
    }

    private static void HandOver(object item, WorkClass owner) =>
        System.Threading.ThreadPool.UnsafeQueueUserWorkItem(new HandedOverItem(item, owner), preferLocal: false);

    private static long Unserved(ClassCore candidate, int extra) =>
        Math.Max(0, Math.Min(candidate.Queue.Count + extra, candidate.Limit.Value - candidate.Limit.Active));

    private void Run(Worker worker, long requestedAt)
    {
        double seconds = Stopwatch.GetElapsedTime(requestedAt).TotalSeconds;
        lock (_registry)
        {
            // Of the last eight or so.
            double before = ThreadCreationSeconds;
            Volatile.Write(ref _threadCreationSeconds, before > 0 ? before + ((seconds - before) / 8) : seconds);
            _starting--;
            Volatile.Write(ref _created, _created + 1);
            Volatile.Write(ref _peak, Math.Max(_peak, _existing - _starting));
        }

        worker.Run();
    }

    private int LocalSpareCount()
    {
        int count = 0;
        if (MayHaveSpareLocal)
        {
            foreach (Worker? worker in Workers)
            {
                count += worker is { HasSpareLocal: true } ? worker.LocalCount : 0;
            }
        }

        return count;
    }

    private Worker Register()
    {
        int id = Array.IndexOf(_workers, null);
        if (id < 0)
        {
            id = _workers.Length;
            var grown = new Worker?[_workers.Length * 2];
            _workers.CopyTo(grown, 0);
            Volatile.Write(ref _workers, grown);
        }

        var worker = new Worker(this, id, Parking.Create());
        Volatile.Write(ref _workers[id], worker);
        Volatile.Write(ref _existing, _existing + 1);
        return worker;
    }

    private sealed class HandedOverItem(object item, WorkClass owner) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            if (item is Task task)
            {
                owner.Scheduler.Execute(task);
            }
            else
            {
                ((IThreadPoolWorkItem)item).Execute();
            }
        }
    }
}
