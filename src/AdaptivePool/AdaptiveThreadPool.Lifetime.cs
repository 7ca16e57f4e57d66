namespace AdaptivePool;

/// <remarks>
/// End of a pool: (1) closed: root work from outside is refused, continuations go on; (2) the sizing thread waits until nothing is queued, runs or is awaited,
/// at most DrainTimeout; (3) stopped:
/// idle workers end, busy ones after their item; what is queued from now on goes to the runtime's pool; (4) starter and sizing thread end.
/// </remarks>
public sealed partial class AdaptiveThreadPool
{
    /// <summary>The pool whose asynchronous function the caller's flow began as.</summary>
    private static readonly AsyncLocal<AdaptiveThreadPool?> s_flow = new();

    private ExecutionContext? _flowFromEmpty;

    /// <summary>
    /// Refuses new root work, waits for accepted work as long as <see cref="AdaptivePoolOptions.DrainTimeout"/> says, and ends the threads. May be called more
    /// than once.
    /// </summary>
    /// <remarks>
    /// What would wait for itself does not wait, and the returned task has completed: on a worker of this pool, in a LongRunning task, in a handler of its
    /// events or a controller, and in a flow that began as an asynchronous function of
    /// <see cref="Run(Func{Task}, WorkPriority, CancellationToken)"/>, on whatever thread it goes on. The pool ends when the work that runs has ended.
    /// </remarks>
    public ValueTask DisposeAsync()
    {
        Task closed = Close();
        return WouldWaitForItself ? ValueTask.CompletedTask : new ValueTask(closed);
    }

    /// <summary>
    /// As <see cref="DisposeAsync"/>, blocking. It does not wait where it would wait for itself: the pool ends when the work that runs has ended.
    /// </summary>
    public void Dispose()
    {
        Task closed = Close();
        if (!WouldWaitForItself)
        {
            closed.GetAwaiter().GetResult();
        }
    }

    private bool WouldWaitForItself => Set.IsOwnThread || ReferenceEquals(s_flow.Value, this) || ElasticWouldWait;

    /// <summary>Runs an asynchronous function in its caller's flow, and remembers there where it began.</summary>
    internal void RunInFlow(ExecutionContext context, ContextCallback function, object state)
    {
        // Most callers' flows hold nothing: what comes of them is made once, and costs no memory later.
        bool isEmpty = Worker.CurrentOf(Set)?.IsInitialContext(context) ?? false;
        ExecutionContext.Run(isEmpty ? _flowFromEmpty ??= FlowFrom(context) : FlowFrom(context), function, state);
    }

    private ExecutionContext FlowFrom(ExecutionContext context)
    {
        ExecutionContext? marked = null;
        ExecutionContext.Run(
            context,
            _ =>
            {
                s_flow.Value = this;
                marked = ExecutionContext.Capture();
            },
            null);
        return marked!;
    }

    /// <summary>Whether new work from outside is refused, and tasks from there go to the runtime's pool.</summary>
    internal bool IsClosed => End.IsClosed;

    internal void ThrowIfClosed() => ObjectDisposedException.ThrowIf(IsClosed, this);

    /// <summary>How far the end has come.</summary>
    internal PoolEnd End { get; }
}
