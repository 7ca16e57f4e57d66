using System.Diagnostics;
using System.Runtime.CompilerServices;
using AdaptivePool.Blocking;
using AdaptivePool.Classes;

namespace AdaptivePool.Workers;

internal sealed partial class Worker
{
    /// <summary>Items that take longer are all timed; of shorter ones one in 64 is, because two clock reads cost as much as the dispatch of an item.</summary>
    private const double LongItemSeconds = 20e-6;
    private const int TimeOneIn = 64;

    /// <summary>So many items after a long one are timed too, because short and long ones often alternate: what follows an await is often short.</summary>
    private const int TimedAfterLong = 4;

    /// <summary>Counts of short items are passed on in batches, so that a shared counter is touched once in 32 items.</summary>
    private const int FlushEvery = 32;

    private static readonly double s_secondsPerTick = 1.0 / Stopwatch.Frequency;
    private static readonly long s_longItemTicks = (long)(LongItemSeconds * Stopwatch.Frequency);

    private Generation? _generation;
    private ExecutionContext? _initialContext;
    private string? _threadName;
    private int _pendingCompleted;
    private int _untimed;
    private int _timesNext = TimedAfterLong;
    private long _itemStartedAt;

    /// <summary>Timestamp of the start of the present item; 0 when it is not timed. Written before the heartbeat that announces the item.</summary>
    public long ItemStartedAt => Volatile.Read(ref _itemStartedAt);

    /// <summary>Times the next items. Called by the monitor when an item turns out to run long without having been timed.</summary>
    public void TimeNextItems() => Volatile.Write(ref _timesNext, TimedAfterLong);

    private void PrepareThread()
    {
        _initialContext = ExecutionContext.Capture();
        _threadName = Thread.CurrentThread.Name;
        _stackStart = WaitStack.Position();
    }

    private void Execute(object item)
    {
        ClassCore slot = _slot!;
        Generation generation = slot.Generation;
        if (!ReferenceEquals(generation, _generation))
        {
            FlushStatistics(slot);
            _generation = generation;
        }

        long start = _timesNext > 0 || (++_untimed & (TimeOneIn - 1)) == 0 ? Stopwatch.GetTimestamp() : 0;
        _itemStartedAt = start;
        Volatile.Write(ref _sequence, _sequence + 1);
        try
        {
            Invoke(item, slot.Owner);
        }
        catch (Exception exception)
        {
            // An item never kills a worker (rule R8).
            _set.ReportFault(exception);
        }

        if (_waitDepth != 0)
        {
            EndWaits();
        }

        ResetThread();
        MayLoseLoneItem = false;
        Volatile.Write(ref _sequence, _sequence + 1);
        _pendingCompleted++;
        if (start != 0)
        {
            Record(Stopwatch.GetTimestamp() - start, slot, generation);
        }

        if (_pendingCompleted >= FlushEvery)
        {
            FlushStatistics(slot);
        }
    }

    /// <summary>
    /// Runs continuations of tasks inside one task of their scheduler, so that TaskScheduler.Current is what it was before their awaits. As long as the next item is another of them it runs in the
    /// same task: one task for many continuations instead of one each.
    /// </summary>
    private void RunInTask(PostedItem first)
    {
        WorkClass owner = first.Owner;
        var carrier = new Task(
            static state =>
            {
                (Worker worker, PostedItem item) = ((Worker, PostedItem))state!;
                worker.RunWhileSameOwner(item);
            },
            (this, first),
            TaskCreationOptions.DenyChildAttach);
        carrier.RunSynchronously(owner.Scheduler);
    }

    private void RunWhileSameOwner(PostedItem first)
    {
        WorkClass owner = first.Owner;
        object? next = first;
        while (next is PostedItem { AsTask: true } posted && ReferenceEquals(posted.Owner, owner))
        {
            Execute(posted);
            next = Take();
        }

        _handedBack = next;
    }

    private void Invoke(object item, WorkClass owner)
    {
        if (item is Task task)
        {
            SetContext(task.GetType() == typeof(Task) ? owner.TaskContext : owner.NewTaskContext());
            owner.Scheduler.Execute(task);
        }
        else if (item is PostedItem posted)
        {
            posted.ExecuteOn(this);
        }
        else
        {
            SetContext(owner.SynchronizationContext);
            Unsafe.As<IThreadPoolWorkItem>(item).Execute();
        }
    }

    private static void SetContext(SynchronizationContext context)
    {
        if (!ReferenceEquals(SynchronizationContext.Current, context))
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private void Record(long ticks, ClassCore slot, Generation generation)
    {
        double seconds = ticks * s_secondsPerTick;
        bool isLong = ticks >= s_longItemTicks;
        _timesNext = isLong ? TimedAfterLong : Math.Max(0, _timesNext - 1);
        if (slot.HasShortItems == isLong)
        {
            slot.HasShortItems = !isLong;
        }

        generation.AddTimed(seconds);
        if (isLong)
        {
            slot.ServiceTimes.Add(seconds);
            FlushStatistics(slot);
        }
    }

    private void FlushStatistics(ClassCore slot)
    {
        if (_pendingCompleted > 0)
        {
            slot.AddCompleted(_pendingCompleted);
            _generation?.AddCompleted(_pendingCompleted);
            _pendingCompleted = 0;
        }
    }

    /// <summary>Nothing leaks from one item to the next (rule R7). Culture travels in the execution context.</summary>
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

        if (thread.Priority != ThreadPriority.Normal)
        {
            thread.Priority = ThreadPriority.Normal;
        }

        if (!thread.IsBackground)
        {
            thread.IsBackground = true;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ResetExecutionContext()
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
}
