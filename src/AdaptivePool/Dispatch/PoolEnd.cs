namespace AdaptivePool.Dispatch;

/// <summary>
/// How far the end of a pool has come: closed, drained, stopped, over. A caller that brings work asks whether the pool is closed, a caller that disposes the
/// pool closes it, and the sizing thread does the rest.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="set">The workers that end.</param>
/// <param name="onOver">Called once the workers have ended.</param>
internal sealed class PoolEnd<TSync>(WorkerSet<TSync> set, Action onOver)
    where TSync : struct, ISync
{
    private readonly DrainWatch<TSync> _drain = new(set);
    private TaskCompletionSource? _closed;
    private bool _stopped;

    /// <summary>Whether new work from outside is refused.</summary>
    /// <remarks>
    /// Orders nothing. A caller that has just missed the end queues its item. Either a look at what is left sees the item, or the stop has begun, and
    /// <see cref="WakeProtocol{TSync}.Publish"/> says so. Then the caller hands the item over.
    /// </remarks>
    public bool IsClosed => TSync.RelaxedRead(ref _closed) is not null;

    /// <summary>Counts accepted work that is in no queue: awaited functions and LongRunning tasks. Draining waits for it.</summary>
    public void BeginOutstanding() => _drain.Begin();

    /// <summary>Counts that some of that work has ended.</summary>
    public void EndOutstanding() => _drain.End();

    /// <summary>Begins the end.</summary>
    /// <param name="call">Calls the thread that does the rest.</param>
    /// <returns>A task that ends when all is over.</returns>
    public Task Close(Action call)
    {
        var mine = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        // Pairs with itself: of several callers, one closes the pool, and all wait for the same end. The others acquire it.
        TaskCompletionSource? before = TSync.CompareExchange(ref _closed, mine, null);
        if (before is null)
        {
            call();
        }

        return (before ?? mine).Task;
    }

    /// <summary>
    /// Goes on with the end of a closed pool: waits for accepted work, stops the workers, waits until they have ended, and ends the task of the callers that
    /// closed the pool. One thread only.
    /// </summary>
    /// <param name="isTimeOver">Whether the time for waiting is over.</param>
    /// <param name="giveBack">Called once the workers have ended, or are not waited for: gives back what the caller holds for them.</param>
    /// <returns>Whether all is over. The caller must not call again then.</returns>
    public bool TryFinish(bool isTimeOver, Action giveBack)
    {
        if (!_stopped)
        {
            if (!isTimeOver && !set.Stopped && !_drain.Look())
            {
                return false;
            }

            // Stop comes first: without memory it throws halfway, and the next attempt goes on with what is left.
            set.Stop();
            _stopped = true;
        }

        if (set.Existing > 0 && !isTimeOver)
        {
            set.Retire(int.MaxValue);
            return false;
        }

        // The thread that disposes the pool waits for this one, which must not die here.
        set.Guard(giveBack);
        set.Guard(onOver);

        // Acquire: pairs with Close, which made the object.
        TSync.VolatileRead(ref _closed)!.SetResult();
        return true;
    }
}
