namespace AdaptivePool;

/// <remarks>The calls of the runtime's <see cref="ThreadPool"/> under their names, and functions whose result is a <see cref="ValueTask"/>.</remarks>
public sealed partial class AdaptiveThreadPool
{
    /// <summary>Runs an asynchronous function on the pool; what follows its awaits runs there too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run(Func{ValueTask}, WorkPriority, CancellationToken)"/>
    public Task Run(Func<ValueTask> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>Runs an asynchronous function on the pool; what follows its awaits runs there too, as in-flight work.</summary>
    /// <inheritdoc cref="WorkClass.Run{T}(Func{ValueTask{T}}, WorkPriority, CancellationToken)"/>
    public Task<T> Run<T>(Func<ValueTask<T>> function, WorkPriority priority = WorkPriority.Normal, CancellationToken cancellationToken = default) =>
        DefaultClass.Run(function, priority, cancellationToken);

    /// <summary>
    /// Queues a callback on the pool, with a state, under the caller's execution context; as <see cref="ThreadPool.QueueUserWorkItem(WaitCallback, object)"/>,
    /// but an exception does not end the process.
    /// </summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem(WaitCallback, object)"/>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state = null) => DefaultClass.QueueUserWorkItem(callBack, state);

    /// <summary>
    /// Queues a callback on the pool, with a state, under the caller's execution context; as <see cref="ThreadPool.QueueUserWorkItem{TState}"/>, but an
    /// exception does not end the process.
    /// </summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem{TState}"/>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        DefaultClass.QueueUserWorkItem(callBack, state, preferLocal);

    /// <summary>As <see cref="QueueUserWorkItem(WaitCallback, object)"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem(WaitCallback, object)"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => DefaultClass.UnsafeQueueUserWorkItem(callBack, state);

    /// <summary>As <see cref="QueueUserWorkItem{TState}"/>, without the caller's execution context.</summary>
    /// <inheritdoc cref="WorkClass.QueueUserWorkItem{TState}"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        DefaultClass.UnsafeQueueUserWorkItem(callBack, state, preferLocal);
}
