using AdaptivePool.Dispatch.Items;

namespace AdaptivePool.Dispatch;

/// <remarks>The end of the workers: what is queued then goes to the runtime's pool.</remarks>
internal sealed partial class WorkerSet<TSync>
{
    /// <summary>Takes what is handed over after the end. Set before the first item.</summary>
    public Action<IThreadPoolWorkItem> Fallback { get; set; } = static item => System.Threading.ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    /// <summary>
    /// Ends all workers: idle ones at once, the others after their item. What is queued goes to the runtime's pool. Where there is no memory for that, it
    /// throws, and the next call goes on with what is left.
    /// </summary>
    public void Stop()
    {
        using (_registry.Hold())
        {
            MarkStopped();
        }

        foreach (ClassCore<TSync> source in Classes)
        {
            HandOver(source);
        }

        HandOverInFlight();
        HandOverLocal();
        Retire(int.MaxValue);
    }

    /// <summary>Called after work was enqueued that no thread was told of yet.</summary>
    public void HandOverIfStopped()
    {
        if (!Publish())
        {
            HandOverInFlight();
        }
    }

    // Gives queued work to the runtime's pool, which the documentation names as the fallback after the end: no accepted work is lost.
    private void HandOverInFlight()
    {
        while (TryTakeInFlight() is { } item)
        {
            HandOver(item, InFlight);
        }
    }

    // Hands over the work behind an item that goes on past the end: its worker takes no other item before it, and no worker steals any more.
    private void HandOverLocal()
    {
        foreach (Worker<TSync>? worker in Workers)
        {
            while (worker?.TryStealAny() is { } item)
            {
                HandOver(item, InFlight);
            }
        }
    }

    private void HandOver(ClassCore<TSync> source)
    {
        while (source.Queue.TryDequeue(out object? item))
        {
            HandOver(item, source);
        }
    }

    private void HandOver(object item, ClassCore<TSync> source)
    {
        object left = item;
        try
        {
            var handedOver = item as HandedOverItem ?? new HandedOverItem(this, item, source.Owner);
            left = handedOver;
            Fallback(handedOver);
        }
        catch (OutOfMemoryException)
        {
            // The item's old place is free. It may be queued in the runtime's pool all the same, which also throws this where the system refuses it a thread:
            // it still runs once.
            if (source == InFlight)
            {
                EnqueueInFlight(left);
            }
            else
            {
                source.Queue.Enqueue(left);
            }

            throw;
        }
    }

    /// <summary>Gives one item to the runtime's pool.</summary>
    /// <param name="item">What to run; a bare task is one of the class's own scheduler.</param>
    /// <param name="owner">Its class.</param>
    public void HandOver(object item, WorkClass owner) => Fallback(new HandedOverItem(this, item, owner));

    private sealed class HandedOverItem(WorkerSet<TSync> set, object item, WorkClass owner) : IThreadPoolWorkItem
    {
        private int _isTaken;

        public void Execute()
        {
            // Pairs with itself: of two threads that have the item, one runs it.
            if (TSync.Exchange(ref _isTaken, 1) != 0)
            {
                return;
            }

            if (item is Task task)
            {
                owner.Scheduler.ExecuteHandedOver(task);
            }
            else if (item is PostedItem { AsTask: true } posted)
            {
                posted.Owner.Scheduler.RunHere(static state => ((HandedOverItem)state!).ExecuteItem(), this);
            }
            else
            {
                ExecuteItem();
            }
        }

        private void ExecuteItem()
        {
            // As on a worker. The runtime's pool removes the context again.
            SynchronizationContext.SetSynchronizationContext(SchedulerCode.Contains(item) ? null : owner.SynchronizationContext);

            // As on a worker: an exception of an accepted item does not end the process because the pool has ended meanwhile.
            set.Guard(((IThreadPoolWorkItem)item).Execute);
        }
    }
}
