using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <remarks>The calls of the runtime's <see cref="ThreadPool"/> under their names, so that a program changes pools by changing the receiver.</remarks>
public sealed partial class WorkClass
{
    /// <summary>
    /// Queues a callback in this class, with a state, under the caller's execution context; as
    /// <see cref="ThreadPool.QueueUserWorkItem(WaitCallback, object)"/>, but an exception does not end the process.
    /// </summary>
    /// <param name="callBack">
    /// What to run. What it throws is told by <see cref="AdaptiveThreadPool.Faulted"/> and counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </param>
    /// <param name="state">What the callback gets.</param>
    /// <returns>Always <see langword="true"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="WorkRefusedException">
    /// Too many items wait (<see cref="MaxQueued"/>). One that waited too long (<see cref="MaxQueueTime"/>) raises <see cref="AdaptiveThreadPool.Faulted"/>
    /// with it.
    /// </exception>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state = null)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return QueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>
    /// Queues a callback in this class, with a state, under the caller's execution context; as <see cref="ThreadPool.QueueUserWorkItem{TState}"/>, but an
    /// exception does not end the process.
    /// </summary>
    /// <typeparam name="TState">Type of the state.</typeparam>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    /// <param name="callBack">
    /// What to run. What it throws is told by <see cref="AdaptiveThreadPool.Faulted"/> and counted in <see cref="PoolSnapshot.Faulted"/>.
    /// </param>
    /// <param name="state">What the callback gets.</param>
    /// <param name="preferLocal">
    /// Whether it goes into the calling worker's own queue, where the newest runs first, when it continues an item of this class that runs. Otherwise, and from
    /// other threads, it waits in FIFO order.
    /// </param>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, ExecutionContext.Capture()), preferLocal);
    }

    /// <summary>As <see cref="QueueUserWorkItem(WaitCallback, object)"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object)"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return UnsafeQueueUserWorkItem(callBack.Invoke, state, preferLocal: false);
    }

    /// <summary>As <see cref="QueueUserWorkItem{TState}"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="QueueUserWorkItem{TState}"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Queue(new CallbackItem<TState>(this, callBack, state, flow: null), preferLocal);
    }

    private bool Queue(IThreadPoolWorkItem item, bool preferLocal)
    {
        Intake.Queue(this, item, WorkPriority.Normal, fair: !preferLocal);
        return true;
    }
}
