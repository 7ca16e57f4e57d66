namespace AdaptivePool.Dispatch;

/// <summary>
/// Recognizes the callbacks that the runtime posts to resume an async function after an await of a task and after Task.Yield, so that no execution context is
/// captured for them. The posted delegate identifies them: the runtime has one object for all awaits, and a probe asks for it once.
/// </summary>
internal static class AwaitCallbacks
{
    private static readonly SendOrPostCallback? s_task;
    private static readonly SendOrPostCallback? s_yield;

    static AwaitCallbacks()
    {
        var probe = new ProbeContext();
        var source = new TaskCompletionSource();
        using (new UnderContext(probe))
        {
            _ = YieldOnce();
            s_yield = probe.Posted;
            _ = Await(source.Task);
        }

        source.SetResult();
        s_task = probe.Posted;

        static async Task YieldOnce() => await Task.Yield();
        static async Task Await(Task task) => await task;
    }

    /// <summary>
    /// Whether a posted callback resumes an async function. Such a function runs under the execution context that it had before the await. After an await of a
    /// task, the continuation is a method of the task that the function returned; other continuations are posted by the same delegate. After a yield, the
    /// delegate is used for functions alone.
    /// </summary>
    // By its status: a type of the application's that derives from Task has methods of its own, and its tasks are never in that one.
    public static bool BringsItsContext(SendOrPostCallback callback, object? state) =>
        ReferenceEquals(callback, s_yield)
        || (ReferenceEquals(callback, s_task) && state is Action { Target: Task { Status: TaskStatus.WaitingForActivation } });

    private sealed class ProbeContext : SynchronizationContext
    {
        public SendOrPostCallback? Posted { get; private set; }

        public override void Post(SendOrPostCallback d, object? state) => Posted = d;
    }
}
