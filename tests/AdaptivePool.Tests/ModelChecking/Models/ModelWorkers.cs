using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Classes;
using AdaptivePool.Workers;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The sleep protocol of the pool with one class of work and workers that do what Worker.Take, Worker.HoldSlot, Worker.ReleaseSlot and Worker.GoIdle do with root work.</summary>
internal sealed class ModelWorkers : WakeProtocol<ModelSync>
{
    /// <summary>Items are not tiny.</summary>
    public const int NoCrew = int.MaxValue;

    private readonly ModelSleeper[] _workers;
    private readonly Ledger _ledger = new();
    private readonly int _crew;

    /// <param name="workers">Number of workers.</param>
    /// <param name="limit">Limit of the class.</param>
    /// <param name="crew">Workers that the class's tiny items are left to; without it items are not tiny.</param>
    public ModelWorkers(int workers, int limit, int crew = NoCrew)
    {
        _crew = crew;
        _workers = [.. Enumerable.Range(0, workers).Select(static i => new ModelSleeper(i))];
        Limit = new ClassLimit<ModelSync>(limit);
        RequestThreads = static () => { };
    }

    public ConcurrentQueue<object> Queue { get; } = new();

    public ClassLimit<ModelSync> Limit { get; }

    public Ledger Ledger => _ledger;

    public override Sleeper<ModelSync>? TryGet(int id) => _workers[id];

    public override bool HasEligibleWork() => !IsQueueEmpty && Limit.HasRoom && !IsManned;

    /// <summary>ClassCore.IsManned.</summary>
    private bool IsManned => _crew != NoCrew && Limit.Active >= _crew;

    /// <summary>ClassCore.IsOvermanned.</summary>
    private bool IsOvermanned => _crew != NoCrew && Limit.Active > _crew;

    /// <summary>WorkerSet.QueueRoot.</summary>
    public void QueueRoot(string item)
    {
        ModelSync.Enqueue(Queue, item, string.Empty, 1);
        if (!Publish())
        {
            HandOver();
        }
        else if (Limit.HasRoom && !IsManned)
        {
            EnsureWorker();
        }
    }

    /// <summary>WorkerSet.Stop.</summary>
    public void Stop()
    {
        MarkStopped();
        HandOver();
        Retire(int.MaxValue);
    }

    /// <summary>SizingLoop: a raised limit.</summary>
    public void Raise(int limit)
    {
        Limit.Set(limit);
        LookAgain();
    }

    /// <summary>Puts workers to sleep before the threads start.</summary>
    public void LieDownAll()
    {
        foreach (ModelSleeper worker in _workers)
        {
            LieDown(worker);
        }
    }

    /// <summary>A worker's life.</summary>
    public void Work(int id, bool startsAsleep = false)
    {
        ModelSleeper worker = _workers[id];
        bool holds = false;
        bool lives = !startsAsleep || worker.SleepUntilWoken();
        while (lives)
        {
            VirtualThread.Forget(HashCode.Combine(holds, worker.IsSearching, _ledger.StateOf(id)));
            object? item = Take(ref holds);
            if (item is not null)
            {
                if (worker.IsSearching)
                {
                    FoundWork(worker);
                }

                _ledger.Note(id, item);
            }
            else
            {
                ReleaseSlot(ref holds);
                LieDown(worker);
                lives = worker.SleepUntilWoken();
            }
        }
    }

    /// <summary>A worker that is woken, finds an item, and keeps slot and thread for it.</summary>
    public void FindOne(int id)
    {
        ModelSleeper worker = _workers[id];
        bool holds = false;
        if (worker.SleepUntilWoken() && Take(ref holds) is { } item)
        {
            FoundWork(worker);
            _ledger.Note(id, item);
        }
    }

    /// <summary>A worker that gives up a slot it got before, and does something else.</summary>
    public void GiveUpSlot()
    {
        bool holds = true;
        ReleaseSlot(ref holds);
    }

    /// <summary>A worker that takes one item in passing.</summary>
    public void TakeOne(int thread)
    {
        TryDequeue(out object? item);
        _ledger.Note(thread, item);
    }

    /// <summary>A worker that gets a slot in passing, and gives it up.</summary>
    public void PassThrough()
    {
        bool holds = Limit.TryAcquire();
        ReleaseSlot(ref holds);
    }

    /// <summary>Throws unless everything that was queued has run and no slot is taken.</summary>
    public void RequireRun(params string[] items)
    {
        ModelFailureException.Require(IsQueueEmpty, "all sleep and work is queued");
        _ledger.RequireAll(items, []);
        ModelFailureException.Require(Limit.Active == 0, "the count of slots is wrong");
    }

    /// <summary>The same, and that nobody has ended.</summary>
    public void RequireDone(params string[] items)
    {
        RequireRun(items);
        ModelFailureException.Require(Limit.Active == 0 && Idle.Count == (Stopped ? 0 : _workers.Length), "the counts of slots or idle workers are wrong");
    }

    private bool IsQueueEmpty => ModelSync.IsEmpty(Queue, string.Empty, 2);

    private bool TryDequeue([MaybeNullWhen(false)] out object item) => ModelSync.TryDequeue(Queue, out item, string.Empty, 3);

    /// <summary>Lets the sleepers end. What they owe each other is over.</summary>
    public void Dismiss()
    {
        foreach (ModelSleeper worker in _workers)
        {
            worker.Wake(searching: false, retire: true);
        }
    }

    private object? Take(ref bool holds)
    {
        if (holds && IsOvermanned)
        {
            ReleaseSlot(ref holds);
        }
        else if (holds && !Limit.IsOver && TryDequeue(out object? taken))
        {
            return taken;
        }

        return !IsQueueEmpty && (holds || !IsManned) && HoldSlot(ref holds) && TryDequeue(out object? item) ? item : null;
    }

    private bool HoldSlot(ref bool holds)
    {
        if (holds)
        {
            if (!Limit.IsOver)
            {
                return true;
            }

            ReleaseSlot(ref holds);
            return false;
        }

        holds = Limit.TryAcquire();
        return holds;
    }

    private void ReleaseSlot(ref bool holds)
    {
        if (!holds)
        {
            return;
        }

        holds = false;
        Limit.Release();
        if (HasEligibleWork())
        {
            EnsureWorker();
        }
    }

    private void HandOver()
    {
        while (TryDequeue(out object? item))
        {
            _ledger.Note(3, item);
        }
    }
}
