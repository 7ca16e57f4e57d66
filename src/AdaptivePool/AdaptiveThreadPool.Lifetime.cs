namespace AdaptivePool;

/// <remarks>
/// How a pool ends: (1) The pool is closed: it refuses root work from outside, and continuations still run. (2) The sizing thread waits until no item is
/// queued, running or awaited, at most for DrainTimeout. (3) The pool is stopped: idle workers end, and busy workers end after their item. Items that are
/// queued from now on go to the runtime's pool. (4) The starter thread and the sizing thread end.
/// </remarks>
public sealed partial class AdaptiveThreadPool
{
    /// <summary>The pools in whose asynchronous functions the caller's flow began.</summary>
    private static readonly AsyncLocal<Flow?> s_flow = new();

    private ExecutionContext? _flowFromEmpty;
    private Flow? _flow;
    private CancellationTokenRegistration _stopping;

    /// <summary>
    /// Refuses new root work, waits for accepted work for as long as <see cref="AdaptivePoolOptions.DrainTimeout"/> allows, and ends the threads. It may be
    /// called more than once.
    /// </summary>
    /// <remarks>
    /// Code that the pool waits for would wait for itself. There the method does not wait and returns a completed task: on a worker of this pool, in a
    /// LongRunning task, in a handler of the pool's events, in a controller, and in an async flow that began as an asynchronous function of
    /// <see cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>, on whichever thread the flow continues. The pool then ends when the running work has
    /// ended. It does wait in a handler of <see cref="AppDomain.ProcessExit"/>: the process never ends if it is a handler of <see cref="ClassResized"/> or
    /// <see cref="Warned"/>, or a controller, that called <see cref="Environment.Exit"/>, because the pool ends on the thread that these run on.
    /// It also waits for another pool. So do not let items of two pools dispose each other's pool and wait for that: without a
    /// <see cref="AdaptivePoolOptions.DrainTimeout"/> neither pool ends.
    /// </remarks>
    public ValueTask DisposeAsync()
    {
        Task closed = Close();
        return WouldWaitForItself ? ValueTask.CompletedTask : new ValueTask(closed);
    }

    /// <summary>
    /// Does the same as <see cref="DisposeAsync"/>, and blocks the calling thread. It does not wait where it would wait for itself; the pool then ends when the
    /// running work has ended.
    /// </summary>
    public void Dispose()
    {
        _ = Close();
        if (!WouldWaitForItself)
        {
            // This does not wait for the task: code after its awaits needs a thread of the runtime's pool, and all of these may be held up, for example by
            // callers of this method.
            Sizing.Close().GetAwaiter().GetResult();
            CloseElastic().GetAwaiter().GetResult();
        }
    }

    private bool WouldWaitForItself => Set.IsOwnThread || s_flow.Value?.IsOf(this) == true || ElasticWouldWait;

    /// <summary>Runs an asynchronous function in its caller's flow, and marks the flow as begun in this pool.</summary>
    internal void RunInFlow(ExecutionContext context, ContextCallback function, object state)
    {
        // The flows of most callers hold nothing. The marked flow for them is created once, and later calls allocate no memory.
        bool isEmpty = Worker.CurrentOf(Set)?.IsInitialContext(context) ?? false;
        ExecutionContext marked;
        try
        {
            marked = isEmpty ? _flowFromEmpty ??= FlowFrom(context) : FlowFrom(context);
        }
        catch (OutOfMemoryException)
        {
            // The function has been taken, and must run. Without the mark everything works as usual, unless the function disposes the pool.
            marked = context;
        }

        ExecutionContext.Run(marked, function, state);
    }

    private ExecutionContext FlowFrom(ExecutionContext context)
    {
        ExecutionContext? marked = null;
        ExecutionContext.Run(
            context,
            _ =>
            {
                s_flow.Value = Flow.With(s_flow.Value, this);
                marked = ExecutionContext.Capture();
            },
            null);
        return marked!;
    }

    /// <summary>Whether the pool refuses new work from outside. Tasks from outside then go to the runtime's pool.</summary>
    internal bool IsClosed => End.IsClosed;

    internal void ThrowIfClosed() => ObjectDisposedException.ThrowIf(IsClosed, this);

    /// <summary>The state of the end of the pool.</summary>
    internal PoolEnd End { get; }

    /// <summary>
    /// The pools in whose asynchronous functions an async flow began, the last one first. A function of one pool may be part of a function of another, and
    /// each of these pools waits for it.
    /// </summary>
    /// <param name="Pool">The last of these pools.</param>
    /// <param name="Before">The pools before it; <see langword="null"/> for none.</param>
    private sealed record Flow(AdaptiveThreadPool Pool, Flow? Before)
    {
        public bool IsOf(AdaptiveThreadPool pool) => Pool == pool || Before?.IsOf(pool) == true;

        /// <summary>The list is never longer than the number of pools that have not ended, however their functions call each other.</summary>
        public static Flow With(Flow? flow, AdaptiveThreadPool pool) => flow?.IsOf(pool) == true ? flow
            : Living(flow) is { } before ? new Flow(pool, before)
            : pool._flow ??= new Flow(pool, Before: null);

        private static Flow? Living(Flow? flow) => flow is null ? null
            : flow.Pool.Set.Stopped ? Living(flow.Before)
            : flow with { Before = Living(flow.Before) };
    }
}
