using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Classes;
using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

internal sealed partial class WorkerSet
{
    private readonly string _name;
    private readonly int _stackSize;
    private readonly ThreadSource _threadSource;
    private readonly Lock _registry = new();
    private Worker?[] _workers = new Worker?[16];
    private int _maxThreads;
    private int _mostThreads = int.MaxValue;
    private int _existing;
    private int _starting;
    private int _peak;
    private long _created;
    private long _creationFailures;
    private double _threadCreationSeconds;
    private int _lent;
    private int _lentAlive;

    /// <summary>All workers by number; empty places between them. Replaced as a whole when it grows.</summary>
    public Worker?[] Workers => Volatile.Read(ref _workers);

    public int Existing => Volatile.Read(ref _existing);

    public int PeakThreads => Volatile.Read(ref _peak);

    public long ThreadsCreated => Volatile.Read(ref _created);

    public long CreationFailures => Volatile.Read(ref _creationFailures);

    /// <summary>Time from asking the system for a worker's thread until it runs, smoothed; 0 before the first.</summary>
    public double ThreadCreationSeconds => Volatile.Read(ref _threadCreationSeconds);

    public int MaxThreads
    {
        get => Volatile.Read(ref _maxThreads);
        set => Volatile.Write(ref _maxThreads, value);
    }

    /// <summary>Threads that may exist for the sake of memory; the maximum holds besides. Written by the sizing thread alone.</summary>
    public int MostThreads
    {
        get => Volatile.Read(ref _mostThreads);
        set => Volatile.Write(ref _mostThreads, value);
    }

    /// <summary>Whether a thread more may exist, as far as can be seen without a lock. A hint.</summary>
    public bool MayGrow => Existing < Math.Min(MaxThreads, MostThreads);

    /// <inheritdoc/>
    public override Sleeper<RealSync>? TryGet(int id)
    {
        Worker?[] workers = Workers;
        return id < workers.Length ? Volatile.Read(ref workers[id]) : null;
    }

    /// <summary>Threads that are missing: one for each item that may run and has no worker, and one spare.</summary>
    public int MissingThreads()
    {
        int existing = Existing;
        int lent = Volatile.Read(ref _lent);
        int room = Math.Min(MaxThreads + lent, MostThreads) - existing;
        if (room <= 0 || Stopped)
        {
            return 0;
        }

        long wanted = 1 + Unserved(InFlight, LocalSpareCount());
        foreach (ClassCore candidate in Classes)
        {
            wanted += Unserved(candidate, 0);
        }

        // In a deadlock all that may be lent is, and no more: room may grow at any time by a new maximum.
        wanted = Math.Max(wanted - Idle.Count - Volatile.Read(ref _starting), lent - Volatile.Read(ref _lentAlive));
        return (int)Math.Clamp(wanted, 0, room);
    }

    /// <summary>Starts one worker. Called by the starter thread only.</summary>
    /// <returns><see langword="false"/> when there is no memory or no thread for it.</returns>
    public bool TryStartWorker()
    {
        Worker? worker = null;
        try
        {
            if (!TryRegister(out worker) || TryStart(worker))
            {
                return true;
            }
        }
        catch (OutOfMemoryException)
        {
            // As good as a refusal. On the starter's thread nobody else would catch it.
        }

        Interlocked.Increment(ref _creationFailures);
        if (worker is not null)
        {
            lock (_registry)
            {
                _starting--;
            }

            OnExit(worker);
        }

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
            Volatile.Write(ref _lentAlive, _lentAlive - (worker.IsLent ? 1 : 0));
            worker.IsLent = false;
        }
    }

    /// <summary>Lets threads beyond <see cref="MaxThreads"/> run what waits, whatever the limits say. Monitor only.</summary>
    /// <param name="threads">How many; 0 takes them back: they end as soon as they are idle.</param>
    public void Lend(int threads)
    {
        // Pairs with the look in TryRegister, under the same lock: no worker becomes an emergency worker after the end of the emergency.
        lock (_registry)
        {
            Volatile.Write(ref _lent, threads);
            Volatile.Write(ref _lentAlive, 0);
            foreach (Worker? worker in _workers)
            {
                if (worker is not null)
                {
                    worker.IsLent = false;

                    // A worker that is kept free for work in flight is lent, too.
                    worker.IsEmergency = threads > 0 && (worker.Sequence & 1) == 0;
                }
            }
        }

        RequestThreads();
    }

    /// <summary>Ends all workers: idle ones at once, the others after their item. What is queued goes to the runtime's pool.</summary>
    public void Stop()
    {
        lock (_registry)
        {
            MarkStopped();
        }

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

    private bool TryStart(Worker worker)
    {
        long requestedAt = Stopwatch.GetTimestamp();
        return _threadSource.TryStart(() => Run(worker, requestedAt), $"{_name} worker {worker.Id}", _stackSize, out _);
    }

    private bool TryRegister([NotNullWhen(true)] out Worker? worker)
    {
        worker = null;
        lock (_registry)
        {
            if (Stopped || _existing >= Math.Min(MaxThreads + _lent, MostThreads))
            {
                return false;
            }

            int id = Array.IndexOf(_workers, null);
            Worker?[] workers = _workers;
            if (id < 0)
            {
                id = workers.Length;
                workers = new Worker?[id * 2];
                _workers.CopyTo(workers, 0);
            }

            // Nothing is counted or published before all memory is there.
            var created = new Worker(this, id, _threadSource.CreateParking()) { IsLent = _lent > _lentAlive };
            created.IsEmergency = created.IsLent;
            Volatile.Write(ref workers[id], created);
            Volatile.Write(ref _workers, workers);
            Volatile.Write(ref _existing, _existing + 1);
            Volatile.Write(ref _lentAlive, _lentAlive + (created.IsLent ? 1 : 0));
            _starting++;
            worker = created;
            return true;
        }
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
