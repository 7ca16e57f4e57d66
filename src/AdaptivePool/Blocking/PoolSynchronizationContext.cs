using System.Runtime.CompilerServices;
using AdaptivePool.Workers;

namespace AdaptivePool.Blocking;

/// <summary>
/// The context that items run under. It brings awaits back to the pool as in-flight work, and it is the wait hook: the runtime calls <see cref="Wait"/> on the thread that is about to block in a managed
/// wait (Task.Wait, lock, events, semaphores, Join; not Thread.Sleep and not system calls).
/// </summary>
internal sealed class PoolSynchronizationContext : SynchronizationContext
{
    private readonly WorkClass _owner;
    private readonly bool _asTasks;

    /// <param name="owner">The class whose items run under this context.</param>
    /// <param name="asTasks">Whether continuations find TaskScheduler.Current as it was before the await: the context of tasks, as opposed to that of work items.</param>
    public PoolSynchronizationContext(WorkClass owner, bool asTasks)
    {
        _owner = owner;
        _asTasks = asTasks;
        SetWaitNotificationRequired();
    }

    /// <summary>The class whose items run under this context.</summary>
    public WorkClass Owner => _owner;

    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        _owner.Pool.QueueContinuation(_owner, _asTasks, d, state);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (Worker.Current is { } worker && ReferenceEquals(worker.Set, _owner.Pool.Set))
        {
            d(state);
            return;
        }

        _owner.Pool.Run(() => d(state)).GetAwaiter().GetResult();
    }

    public override SynchronizationContext CreateCopy() => this;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
    {
        Worker? worker = millisecondsTimeout == 0 ? null : Worker.Current;
        if (worker is null)
        {
            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }

        worker.EnterWait(declared: false);
        try
        {
            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }
        finally
        {
            worker.LeaveWait();
        }
    }
}
