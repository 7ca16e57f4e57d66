using AdaptivePool.Internal;
using AdaptivePool.Workers;

namespace AdaptivePool;

/// <remarks>
/// End of a pool: (1) closed: root work from outside is refused, continuations go on; (2) the sizing thread waits until nothing is queued, runs or is awaited, at most DrainTimeout; (3) stopped:
/// idle workers end, busy ones after their item; what is queued from now on goes to the runtime's pool; (4) starter and sizing thread end.
/// </remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly DrainWatch<RealSync> _drain;
    private bool _closed;

    /// <summary>Refuses new root work, waits for accepted work as long as <see cref="AdaptivePoolOptions.DrainTimeout"/> says, and ends the threads. May be called more than once.</summary>
    /// <remarks>On a worker of this pool the returned task has completed: what runs there is part of what is waited for, and would wait for itself.</remarks>
    public ValueTask DisposeAsync()
    {
        Task closed = Close();
        return IsOwnWorker ? ValueTask.CompletedTask : new ValueTask(closed);
    }

    /// <summary>
    /// As <see cref="DisposeAsync"/>, blocking. On a worker of this pool it does not wait, because it would wait for itself: the pool ends when the work that runs has ended.
    /// </summary>
    public void Dispose()
    {
        Task closed = Close();
        if (!IsOwnWorker)
        {
            closed.GetAwaiter().GetResult();
        }
    }

    private bool IsOwnWorker => Worker.CurrentOf(Set) is not null;

    /// <summary>Whether new work from outside is refused, and tasks from there go to the runtime's pool.</summary>
    internal bool IsClosed => Volatile.Read(ref _closed);

    internal void ThrowIfClosed() => ObjectDisposedException.ThrowIf(IsClosed, this);

    /// <summary>Counts accepted work that is in no queue: awaited functions and LongRunning tasks. Draining waits for it.</summary>
    internal void AddOutstanding(int count)
    {
        if (count > 0)
        {
            _drain.Begin();
        }
        else
        {
            _drain.End();
        }
    }

    private Task Close()
    {
        Volatile.Write(ref _closed, true);
        return _sizing.Close(_drain.Look, CloseDiagnostics);
    }
}
