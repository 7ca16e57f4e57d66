using AdaptivePool.Dispatch.Items;
using System.Threading.Tasks.Sources;
using AdaptivePool.Stacks;

namespace AdaptivePool.Dispatch;

internal sealed partial class Worker<TSync>
{
    /// <summary>Emptied items kept: as many as chains of awaits usually alternate on one worker; more would only hold memory.</summary>
    private const int MostKept = 32;

    /// <summary>Items that take longer are all timed; of shorter ones one in 64 is, because two clock reads cost as much as the dispatch of an item.</summary>
    private const double LongItemSeconds = WakeThresholdRule.WakeSeconds;
    private const int TimeOneIn = 64;

    /// <summary>
    /// This many items after a long one are timed too. Short and long ones often alternate, because the continuation of an await is often short.
    /// </summary>
    private const int TimedAfterLong = 4;

    /// <summary>Counts of short items are passed on in batches, so that a shared counter is touched once in 32 items.</summary>
    private const int FlushEvery = 32;

    /// <summary>The mean length of short items is that of about this many timed ones.</summary>
    private const int MeanOf = 8;

    private static readonly Action<object?> s_runHandedBack = static worker => ((Worker<TSync>)worker!).RunWhileSameOwner();
    private static readonly double s_secondsPerTick = 1.0 / Stopwatch.Frequency;
    private static readonly long s_longItemTicks = (long)(LongItemSeconds * Stopwatch.Frequency);

    private readonly PostedItem?[] _kept = new PostedItem?[MostKept];
    private Generation<TSync>? _generation;
    private ExecutionContext? _initialContext;
    private string? _threadName;
    private ThreadPriority _threadPriority = ThreadPriority.Normal;
    private int _pendingCompleted;
    private int _untimed;
    private int _timesNext = TimedAfterLong;
    private bool _hasLongItems;
    private double _shortSeconds;
    private LastAnswer _isPartOfScheduler = new(SchedulerCode.IsPart);
    private LastAnswer _isScheduler = new(SchedulerCode.IsScheduler);
    private LastAnswer _mayAwait = new(MayAwait, otherwise: true);
    private long _itemStartedAt;
    private int _keptCount;
    private WorkClass? _itemOwner;

    /// <summary>Timestamp of the start of the present item; 0 when it is not timed. Written before the heartbeat that announces the item.</summary>
    public long ItemStartedAt => TSync.RelaxedRead(ref _itemStartedAt);

    /// <summary>Class of the code that runs here, also where that code does not see the context of the class. On the worker itself.</summary>
    public WorkClass? ItemOwner => _itemOwner;

    /// <summary>
    /// The name under which the present item is reported: its class, also in flight, where it holds no slot of its class. A hint for other threads.
    /// </summary>
    public string? OwnerName => Slot is { IsInFlight: true } ? TSync.RelaxedRead(ref _itemOwner)?.Name ?? Slot?.Name : Slot?.Name;

    /// <summary>Times the next items. Called by the monitor when an item turns out to run long without having been timed.</summary>
    public void TimeNextItems() => TSync.RelaxedWrite(ref _timesNext, TimedAfterLong);

    /// <summary>
    /// Leaves the present item out of the completed ones: it was refused, and says nothing about the value of a limit. On the worker itself.
    /// </summary>
    public void LeaveOut()
    {
        _pendingCompleted--;

        // The item has left its queue all the same: otherwise the clock of the queue would take a later item for one that is still there.
        _slot!.CountLeftOut();
    }

    /// <summary>Whether a context is that of the thread itself: one in which nothing flows.</summary>
    public bool IsInitialContext(ExecutionContext context) => ReferenceEquals(context, _initialContext);

    private void PrepareThread()
    {
        _initialContext = ExecutionContext.Capture();
        _threadName = Thread.CurrentThread.Name;
        _threadPriority = Thread.CurrentThread.Priority;
        _stackStart = WaitStack.Position();
    }

    /// <summary>Queues the continuation of an await of the item that runs here. On the worker itself.</summary>
    [BypassReadyToRun]
    public void Post(PoolSynchronizationContext context, SendOrPostCallback callback, object? state)
    {
        PostedItem item = _keptCount > 0 ? _kept[--_keptCount]! : new PostedItem();
        PushLocal(item.With(context, callback, state), fair: true);
    }

    /// <summary>
    /// Keeps an emptied item for the next <see cref="Post"/>. On the worker itself, which took the item from its queue and so is its only holder.
    /// </summary>
    [BypassReadyToRun]
    public void Keep(PostedItem item)
    {
        if (_keptCount < MostKept)
        {
            _kept[_keptCount++] = item;
        }
    }

    [BypassReadyToRun]
    private void Execute(object item)
    {
        ClassCore<TSync> slot = _slot!;
        Generation<TSync> generation = slot.Generation;
        if (!ReferenceEquals(generation, _generation))
        {
            FlushStatistics(slot);
            _generation = generation;
        }

        long start = TSync.RelaxedRead(ref _timesNext) > 0 || (++_untimed & (TimeOneIn - 1)) == 0 ? TSync.Timestamp() : 0;
        TSync.Write(ref _itemStartedAt, start);
        RunTimes<TSync>? runs = start != 0 ? slot.Runs : null;
        ThreadUse begun = runs is not null ? RunTimes<TSync>.Begin() : default;

        // Release: pairs with the acquire in Sequence; a thread that sees the item sees the time of its start.
        // The sequence is odd from here on, and even after the item, also where the item before ended in the middle for lack of memory.
        TSync.VolatileWrite(ref _sequence, (_sequence + 1) | 1);
        try
        {
            Invoke(item, slot.Owner);
        }
        catch (Exception exception)
        {
            // An item never kills a worker (rule R8).
            ForgetContext();
            _set.ReportFault(exception);
        }

        ForgetContext();
        if (_waitDepth != 0)
        {
            EndWaits();
        }

        ResetThread();
        MayLoseLoneItem = false;
        TSync.VolatileWrite(ref _sequence, (_sequence | 1) + 1);
        _pendingCompleted++;
        if (start != 0)
        {
            long ticks = TSync.Timestamp() - start;
            runs?.End(begun, ticks * s_secondsPerTick);
            Record(ticks, slot, generation);
        }

        if (_pendingCompleted >= FlushEvery)
        {
            FlushStatistics(slot);
        }
    }

    /// <summary>
    /// Runs continuations of tasks inside one task of their scheduler, so that TaskScheduler.Current is what it was before their awaits. As long as the next
    /// item is another of them it runs in the same task: one task for many continuations instead of one each.
    /// </summary>
    [BypassReadyToRun]
    private void RunInTask(PostedItem first)
    {
        // The item waits here until the task has begun.
        _handedBack = first;
        try
        {
            first.Owner.Scheduler.RunHere(s_runHandedBack, this);
        }
        catch (OutOfMemoryException) when (ReferenceEquals(_handedBack, first))
        {
            // There is no memory for the task. The item runs without one, which is better than not at all.
            _handedBack = null;
            Execute(first);
        }
    }

    [BypassReadyToRun]
    private void RunWhileSameOwner()
    {
        var first = (PostedItem)_handedBack!;
        _handedBack = null;
        WorkClass owner = first.Owner;
        object? next = first;
        while (next is PostedItem { AsTask: true } posted && ReferenceEquals(posted.Owner, owner))
        {
            Execute(posted);
            next = Take();
        }

        _handedBack = next;
    }

    [BypassReadyToRun]
    private void Invoke(object item, WorkClass owner)
    {
        if (item is Task task)
        {
            Enter(task, owner.Scheduler);
            owner.Scheduler.Execute(task);
        }
        else if (item is PostedItem posted)
        {
            posted.ExecuteOn(this);
        }
        else
        {
            Enter(_isPartOfScheduler.For(item) ? null : owner.SynchronizationContext, owner);
            Unsafe.As<IThreadPoolWorkItem>(item).Execute();
        }
    }

    /// <summary>Gives the calling code the context of an item. On the worker itself.</summary>
    [BypassReadyToRun]
    public void Enter(SynchronizationContext? context, WorkClass? owner)
    {
        if (!ReferenceEquals(ItemOwner, owner))
        {
            SetOwner(owner);
        }

        if (!ReferenceEquals(SynchronizationContext.Current, context))
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    /// <summary>Gives the calling code the context of a task of the given scheduler. On the worker itself.</summary>
    [BypassReadyToRun]
    public void Enter(Task task, AdaptiveTaskScheduler scheduler)
    {
        SynchronizationContext? context;
        try
        {
            context = ContextOf(task, scheduler, ref _isScheduler, ref _mayAwait);
        }
        catch (OutOfMemoryException)
        {
            // The task has been taken, and must run.
            context = scheduler.Owner.TaskContext;
        }

        Enter(context, scheduler.Owner);
    }

    /// <summary>The context of a task of the given scheduler, for callers that are no worker and remember no answer for the last item.</summary>
    public static SynchronizationContext? ContextOf(Task task, AdaptiveTaskScheduler scheduler)
    {
        LastAnswer isScheduler = new(SchedulerCode.IsScheduler);
        LastAnswer mayAwait = new(MayAwait, otherwise: true);
        return ContextOf(task, scheduler, ref isScheduler, ref mayAwait);
    }

    // Not HasFlag: it takes memory until the method is fully optimized.
    [BypassReadyToRun]
    private static SynchronizationContext? ContextOf(Task task, AdaptiveTaskScheduler scheduler, ref LastAnswer isScheduler, ref LastAnswer mayAwait) =>
        scheduler.HidesContext || (task.AsyncState is { } state && isScheduler.For(state)) ? null
            : (task.CreationOptions & TaskCreationOptions.HideScheduler) != TaskCreationOptions.None ? scheduler.Owner.SynchronizationContext
            : mayAwait.For(task) || task.AsyncState is Action or Task or IValueTaskSource ? scheduler.Owner.NewTaskContext()
            : scheduler.Owner.TaskContext;

    /// <summary>
    /// Whether the code that a task of this type calls may await something that a caller waits for: only where its result may be a task again, or hold one.
    /// Its state may show that too: the continuation of an await without a context comes as a task that has the function, or what it has awaited.
    /// </summary>
    private static bool MayAwait(Type taskType) =>
        taskType != typeof(Task)
        && !(taskType.IsGenericType && taskType.GetGenericTypeDefinition() == typeof(Task<>)
            && taskType.GenericTypeArguments[0] is { } result && (result.IsPrimitive || result.IsEnum || result == typeof(string)));

    private void Record(long ticks, ClassCore<TSync> slot, Generation<TSync> generation)
    {
        double seconds = ticks * s_secondsPerTick;
        bool isLong = ticks >= s_longItemTicks;
        _hasLongItems = isLong;
        int wakeThreshold = 0;
        if (!isLong)
        {
            _shortSeconds += (seconds - _shortSeconds) / MeanOf;
            wakeThreshold = WakeThresholdRule.AtMost(_shortSeconds);
        }
        else if (TSync.RelaxedRead(ref _timesNext) == 0 && slot.WakeThreshold is var before && WakeThresholdRule.IsTiny(before))
        {
            // One long item among tiny ones is a collection, or another thread on this core. The next item is timed as well.
            wakeThreshold = before;
        }

        TSync.RelaxedWrite(ref _timesNext, isLong ? TimedAfterLong : Math.Max(0, TSync.RelaxedRead(ref _timesNext) - 1));
        if (slot.Share is not null)
        {
            // This worker does not choose the class of the next item, so no items are left to it.
            wakeThreshold = 0;
        }
        else if (slot.IsInFlight && _set.Shares is not null)
        {
            // Also for a class that got its weight while its items followed each other here.
            ChargeFrom(_set.CoreOf(ItemOwner)?.Share);
            Settle();
        }

        if (slot.WakeThreshold != wakeThreshold)
        {
            slot.WakeThreshold = wakeThreshold;
            if (wakeThreshold == 0 && !slot.IsInFlight)
            {
                // Items that were left to this worker while they were short need other workers now. Pairs with the fence between enqueue and the look at
                // WakeThreshold.
                _set.LookAgain(slot);
            }
        }

        generation.AddTimed(seconds);
        if (isLong)
        {
            slot.ServiceTimes.Add(seconds);
            FlushStatistics(slot);
        }
    }

    [BypassReadyToRun]
    private void FlushStatistics(ClassCore<TSync> slot)
    {
        if (_pendingCompleted > 0)
        {
            slot.AddCompleted(_pendingCompleted);
            _generation?.AddCompleted(_pendingCompleted);
            _pendingCompleted = 0;
        }
    }

    /// <summary>
    /// Removes a context that an item has left behind: the runtime would call it before each wait for a lock of the pool, and what it throws there would end
    /// the process. Contexts of pools stay, because the next item mostly has the same one.
    /// </summary>
    [BypassReadyToRun]
    private static void ForgetContext()
    {
        if (SynchronizationContext.Current is not (null or PoolSynchronizationContext))
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    /// <summary>Nothing leaks from one item to the next (rule R7). Culture travels in the execution context.</summary>
    [BypassReadyToRun]
    private void ResetThread()
    {
        if (!ReferenceEquals(ExecutionContext.Capture(), _initialContext))
        {
            ResetExecutionContext();
        }

        Thread thread = _thread!;
        if (!ReferenceEquals(thread.Name, _threadName))
        {
            thread.Name = _threadName;
        }

        if (thread.Priority != _threadPriority)
        {
            thread.Priority = _threadPriority;
        }

        if (!thread.IsBackground)
        {
            thread.IsBackground = true;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ResetExecutionContext()
    {
        // Twice: the handlers of AsyncLocals are told that the values are gone, and may set other values, suppress the flow, or set a context.
        for (int i = 0; i < 2 && !ReferenceEquals(ExecutionContext.Capture(), _initialContext); i++)
        {
            if (ExecutionContext.IsFlowSuppressed())
            {
                ExecutionContext.RestoreFlow();
            }

            if (_initialContext is not null)
            {
                ExecutionContext.Restore(_initialContext);
            }
        }

        ForgetContext();
    }
}
