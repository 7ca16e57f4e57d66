using System.Diagnostics;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Items;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The workers, queues and limits of a pool as they are, on virtual threads: all but sizing and the watch, whose part a program plays.</summary>
internal sealed class ModelPool
{
    /// <summary>The contexts that items run under; they are never used.</summary>
    private static readonly WorkClass s_owner = new(null!, new ClassCore<RealSync>("owner", 1, isInFlight: false), isDefault: true);

    /// <summary>More than a worker times after it has begun.</summary>
    private const int ShortItems = 6;

    /// <summary>A quarter of a wake.</summary>
    private static readonly long s_shortItemTicks = (long)(WakeThresholdRule.WakeSeconds / 4 * Stopwatch.Frequency);

    private readonly List<StarterLoop<ModelSync>> _starters = [];
    private readonly int _limit;
    private ClassCore<ModelSync>? _other;
    private int _running;
    private int _returned;

    /// <param name="workers">Number of workers at first.</param>
    /// <param name="limit">Limit of the root class.</param>
    /// <param name="inFlightLimit">Limit of work in flight.</param>
    /// <param name="maxThreads">Most threads; 0 for the workers that are there at first.</param>
    /// <param name="threads">Where threads come from.</param>
    /// <param name="keepsThread">Whether root work leaves one of the threads to work in flight.</param>
    public ModelPool(int workers, int limit, int inFlightLimit, int maxThreads = 0, ThreadSource<ModelSync>? threads = null, bool keepsThread = false)
    {
        _limit = limit;
        ThreadSource<ModelSync> source = threads ?? ThreadSource<ModelSync>.System;
        Set = new WorkerSet<ModelSync>(
            "model", maxThreads > 0 ? maxThreads : workers, 0, inFlightLimit, source, Report, mostClasses: 4, mostWorkers: 4)
        {
            InitialPlaces = 2,
            LocalCapacity = 2,
            // One look: the clock of a virtual thread stands still.
            BatchWait = TimeSpan.Zero,
            // The runtime's pool has a thread for each.
            Fallback = static item => ModelSync.Start(item.Execute, "runtime's pool", 0),
        };
        Set.InFlight.Owner = s_owner;
        if (!keepsThread)
        {
            Set.Root.Set(int.MaxValue);
        }

        Root = AddClass(limit);
        for (int i = 0; i < workers; i++)
        {
            ModelFailureException.Require(Set.TryStartWorker(), "a worker of the preparation was not started");
        }
    }

    public WorkerSet<ModelSync> Set { get; }

    /// <summary>A second class; made when it is first used, in the preparation.</summary>
    public ClassCore<ModelSync> Other => _other ??= AddClass(_limit);

    public ClassCore<ModelSync> Root { get; }

    public Ledger Ledger { get; } = new();

    /// <summary>Gets what items throw; a failure of the program unless it says otherwise.</summary>
    public Action<Exception> OnFault { get; set; } = Fail;

    /// <summary>
    /// Lets each worker run some short items first: from then on a lone item of its own is left to it. For programs whose workers go to sleep before they
    /// begin.
    /// </summary>
    public void WarmUp(int workers)
    {
        var parkings = new WordParking<ModelSync>[workers - 1];
        for (int i = 0; i < parkings.Length; i++)
        {
            WordParking<ModelSync> parking = parkings[i] = new WordParking<ModelSync>();
            Set.QueueInFlight(new CallbackItem(() =>
            {
                // So that the others take the rest.
                parking.Park();
                PushShortItems();
            }));
        }

        Set.QueueInFlight(new CallbackItem(() =>
        {
            Array.ForEach(parkings, static parking => parking.Unpark());
            PushShortItems();
        }));
    }

    /// <summary>An item that is noted when it runs, and may do something more.</summary>
    public ModelItem Item(string name, Action? body = null) => new(name, Ledger, body);

    /// <summary>An item of in-flight work that checks rule R5: beyond the limit only those run that came back from a wait.</summary>
    public ModelItem Counted(string name, Action? body = null) => Item(name, () =>
    {
        _running++;
        ModelFailureException.Require(_running - _returned <= Set.InFlight.Limit.Value, $"{name} starts beyond the limit");
        body?.Invoke();
        _running--;
    });

    /// <summary>What a counted item does when it waits.</summary>
    public void Wait(Action wait)
    {
        Worker<ModelSync>? worker = Worker<ModelSync>.Current;
        _running--;
        worker?.EnterWait(null);
        wait();
        worker?.LeaveWait();
        _running++;
        _returned++;
    }

    /// <summary>What a counted item does at its end when it has waited.</summary>
    public void EndWait() => _returned--;

    /// <summary>Adds a root class.</summary>
    public ClassCore<ModelSync> AddClass(int limit)
    {
        var added = new ClassCore<ModelSync>("root", limit, isInFlight: false) { Owner = s_owner };
        Set.AddClass(added);
        return added;
    }

    public void QueueRoot(string name, Action? body = null) => Set.QueueRoot(Root, Item(name, body), RootPlace.Normal);

    public void QueueInFlight(string name, Action? body = null) => Set.QueueInFlight(Item(name, body));

    /// <summary>Takes an item of work in flight in passing, as another pool's thread would if it could, and runs it.</summary>
    public void TakeInFlight() => ((ModelItem?)Set.TryTakeInFlight())?.Execute();

    /// <summary>Queues an item in a way. The ways of an item's own work need one that runs on the caller.</summary>
    public void Queue(WorkWay way, IThreadPoolWorkItem item)
    {
        switch (way)
        {
            case WorkWay.Local or WorkWay.Fair:
                Worker<ModelSync>.Current!.PushLocal(item, fair: way == WorkWay.Fair);
                break;
            case WorkWay.Posted or WorkWay.PostedAsTask:
                PoolSynchronizationContext context = way == WorkWay.Posted ? s_owner.Context : (PoolSynchronizationContext)s_owner.TaskContext;
                SendOrPostCallback run = static state => ((IThreadPoolWorkItem)state!).Execute();
                if (Worker<ModelSync>.Current is { } worker)
                {
                    worker.Post(context, run, item);
                }
                else
                {
                    // From an item that was handed over.
                    Set.QueueInFlight(new PostedItem().With(context, run, item));
                }

                break;
            case WorkWay.Shared:
                Set.QueueInFlight(item);
                break;
            case WorkWay.Routed or WorkWay.OtherRoute:
                Set.QueueRoot(Root, item, RootPlace.Of(way == WorkWay.Routed ? 0L : 1L));
                break;
            case WorkWay.OtherClass:
                Set.QueueRoot(Other, item, RootPlace.Normal);
                break;
            default:
                Set.QueueRoot(Root, item, RootPlace.Of(way == WorkWay.High ? WorkPriority.High : way == WorkWay.Low ? WorkPriority.Low : WorkPriority.Normal));
                break;
        }
    }

    /// <summary>Queues from the item that runs on the caller.</summary>
    public void PushLocal(string name, bool fair = false) => PushLocal(Item(name), fair);

    /// <summary>The same; from an item that was handed over, as what continues accepted work.</summary>
    public void PushLocal(ModelItem item, bool fair)
    {
        if (Worker<ModelSync>.Current is { } worker)
        {
            worker.PushLocal(item, fair);
        }
        else
        {
            Set.QueueInFlight(item);
        }
    }

    /// <summary>SizingLoop: a new limit.</summary>
    public void Resize(int limit) => Resize(Root, limit);

    /// <summary>The same of another class.</summary>
    public void Resize(ClassCore<ModelSync> target, int limit)
    {
        if (target.SetLimit(limit))
        {
            Set.LookAfterRaise(target);
        }
    }

    /// <summary>Starts the thread that starts threads.</summary>
    public StarterLoop<ModelSync> AddStarter(ThreadSource<ModelSync>? threads = null)
    {
        var starter = new StarterLoop<ModelSync>(Set, "model", threads ?? ThreadSource<ModelSync>.System);
        starter.Start(ThreadSource<ModelSync>.System);
        _starters.Add(starter);
        Set.RequestThreads = starter.Request;
        return starter;
    }

    /// <summary>Throws unless everything that was queued has run once, and everybody sleeps who has not ended.</summary>
    public void RequireDone(params string[] items)
    {
        ModelFailureException.Require(!Set.HasEligibleWork(), "all sleep and work is queued");
        ModelFailureException.Require(Set.QueuedCount() == 0, "work is queued and held up by nothing");
        Ledger.RequireAll(items, []);
        ModelFailureException.Require(Root.Limit.Active == 0 && Set.InFlight.Limit.Active == 0,
            $"slots are lost: {Root.Limit.Active} and {Set.InFlight.Limit.Active}");
        ModelFailureException.Require(Set.Root.Active == 0, $"places among all root work are lost: {Set.Root.Active}");
        ModelFailureException.Require(Set.Idle.Count == Set.Existing, $"{Set.Existing} workers exist and {Set.Idle.Count} are idle");
        ModelFailureException.Require(!Set.MayHaveInFlight && Set.Spare.IsEmpty, "what is said to be queued is not there");
    }

    /// <summary>The same, and that no worker is left.</summary>
    public void RequireEnded(params string[] items)
    {
        RequireDone(items);
        ModelFailureException.Require(Set.Existing == 0, $"{Set.Existing} workers are left");
    }

    /// <summary>Lets those who sleep end. What they owe each other is over.</summary>
    public void Dismiss()
    {
        foreach (Worker<ModelSync>? worker in Set.Workers)
        {
            worker?.Wake(retire: true);
        }

        _starters.ForEach(static starter => starter.Stop());
    }

    private static void PushShortItems()
    {
        // Items are timed on a clock that does not stand at 0.
        VirtualThread.Current!.Now += s_shortItemTicks;
        for (int i = 0; i < ShortItems; i++)
        {
            Worker<ModelSync>.Current!.PushLocal(new CallbackItem(static () => VirtualThread.Current!.Now += s_shortItemTicks), fair: false);
        }
    }

    private void Report(Exception exception)
    {
        if (VirtualThread.Current is { IsUnwinding: true })
        {
            // The run is over: a worker survives what an item throws, and must not survive this.
            throw new AbandonedException();
        }

        OnFault(exception);
    }

    private static void Fail(Exception exception) => throw new ModelFailureException($"An item failed: {exception}");
}
