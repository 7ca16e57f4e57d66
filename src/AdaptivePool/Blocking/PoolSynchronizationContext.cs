using System.Diagnostics;
using System.Runtime.CompilerServices;
using AdaptivePool.Workers;

namespace AdaptivePool.Blocking;

/// <summary>
/// The context that items run under. It brings awaits back to the pool as in-flight work, and it is the wait hook: the runtime calls <see cref="Wait"/> on the thread that is about to block in a managed
/// wait (Task.Wait, lock, events, semaphores, Join; not Thread.Sleep and not system calls).
/// </summary>
internal sealed class PoolSynchronizationContext : SynchronizationContext
{
    /// <summary>Waits that take longer are named. A look at the stack costs 20 us: a thousandth of this, on a thread that has nothing else to do.</summary>
    private const int LongWaitMilliseconds = 20;

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
        if (Worker.CurrentOf(_owner.Pool.Set) is not null)
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

        try
        {
            // Inside: whatever it throws, the worker is left as it was.
            worker.EnterWait(_owner);
            if (worker.IsOutermostWait && _owner.ActionOnBlocking is var action and not BlockingAction.Ignore)
            {
                worker.Object(action);
            }

            return (uint)millisecondsTimeout > LongWaitMilliseconds && worker.MayNameWait
                ? WaitAndName(worker, waitHandles, waitAll, millisecondsTimeout)
                : WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }
        finally
        {
            worker.LeaveWait();
        }
    }

    /// <summary>Waits in two steps, and names the wait between them: who waits long has the time for it, and short waits pay nothing.</summary>
    private static int WaitAndName(Worker worker, nint[] waitHandles, bool waitAll, int millisecondsTimeout)
    {
        // Reading the clock costs as much as half of the hook.
        long start = millisecondsTimeout == Timeout.Infinite ? 0 : Worker.Timestamp();
        int result = WaitHelper(waitHandles, waitAll, LongWaitMilliseconds);
        if (result != WaitHandle.WaitTimeout)
        {
            return result;
        }

        worker.NameWait(TimeSpan.FromMilliseconds(LongWaitMilliseconds));
        long left = millisecondsTimeout == Timeout.Infinite ? Timeout.Infinite : Math.Max(0, millisecondsTimeout - (long)Stopwatch.GetElapsedTime(start, Worker.Timestamp()).TotalMilliseconds);
        return WaitHelper(waitHandles, waitAll, (int)left);
    }
}
