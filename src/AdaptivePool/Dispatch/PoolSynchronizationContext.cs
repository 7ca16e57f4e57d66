namespace AdaptivePool.Dispatch;

/// <summary>
/// The context that items run under. It brings awaits back to the pool as in-flight work, and it is the wait hook: the runtime calls <see cref="Wait"/> on the
/// thread that is about to block in a managed wait (Task.Wait, lock, events, semaphores, Join; not Thread.Sleep and not system calls).
/// </summary>
internal sealed class PoolSynchronizationContext : SynchronizationContext
{
    /// <summary>Runs a callback under the flow of its caller. The code that runs the item restores the thread's own flow after it.</summary>
    private static readonly SendOrPostCallback s_inFlow = static state =>
    {
        var flowing = (Flowing)state!;
        if (flowing.Flow is { } flow)
        {
            ExecutionContext.Restore(flow);
        }

        flowing.Callback(flowing.State);
    };

    /// <summary>The same, but drops what the callback throws.</summary>
    private static readonly SendOrPostCallback s_unheard = static state =>
    {
        try
        {
            s_inFlow(state);
        }
        catch (Exception)
        {
            // The fault that the handler was told of is counted already.
        }
    };

    private readonly bool _isOfFaults;

    /// <param name="owner">The class whose items run under this context.</param>
    /// <param name="asTasks">Whether continuations find TaskScheduler.Current as it was before the await: the context of tasks, as opposed to that of work
    /// items.</param>
    /// <param name="isOfFaults">Whether handlers of <see cref="AdaptiveThreadPool.Faulted"/> run under it. What they throw after an await is not reported:
    /// they would be called for it, and throw again.</param>
    public PoolSynchronizationContext(WorkClass owner, bool asTasks, bool isOfFaults = false)
    {
        Owner = owner;
        AsTasks = asTasks;
        _isOfFaults = isOfFaults;
        SetWaitNotificationRequired();
    }

    /// <summary>The class whose items run under this context.</summary>
    public WorkClass Owner { get; }

    /// <summary>Whether continuations find TaskScheduler.Current as it was before the await.</summary>
    public bool AsTasks { get; }

    /// <summary>What an item that was posted here runs under: this, or a context of its own (<see cref="WorkClass.NewTaskContext"/>).</summary>
    public SynchronizationContext ForItem() => AsTasks ? Owner.NewTaskContext() : this;

    /// <summary>
    /// Queues a callback as work in flight of the class. Never refused. It runs under the caller's execution context, as on the runtime's pool; the
    /// continuation of an await of an async function brings its own.
    /// </summary>
    [BypassReadyToRun]
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (_isOfFaults)
        {
            Intake.QueueContinuation(this, s_unheard, new Flowing(d, state, ExecutionContext.Capture()));
        }
        else if (AwaitCallbacks.BringsItsContext(d, state) || ExecutionContext.Capture() is not { } flow)
        {
            Intake.QueueContinuation(this, d, state);
        }
        else
        {
            Intake.QueueContinuation(this, s_inFlow, new Flowing(d, state, flow));
        }
    }

    /// <summary>
    /// Runs a callback as work in flight of the class and waits for it. Runs it at once where the caller is a worker of the pool, or the pool has ended. Never
    /// refused.
    /// </summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (Worker.CurrentOf(Owner.Pool.Set) is { } worker)
        {
            SynchronizationContext? outer = Current;
            WorkClass? outerOwner = worker.ItemOwner;
            worker.Enter(this, Owner);
            try
            {
                d(state);
            }
            finally
            {
                worker.Enter(outer, outerOwner);
            }
        }
        else if (Owner.Pool.Set.Stopped)
        {
            // As the runtime's own context does: only the runtime's pool could run it elsewhere, and the caller may be holding up that pool.
            d(state);
        }
        else
        {
            var sent = new Task(() => d(state), TaskCreationOptions.DenyChildAttach);
            Post(static sent => ((Task)sent!).RunSynchronously(), sent);
            sent.GetAwaiter().GetResult();
        }
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
            // Inside the try block: whatever the call throws, the worker is left as it was.
            worker.EnterWait(Owner);
            if (worker.IsOutermostWait && Owner.ActionOnBlocking is var action and not BlockingAction.Ignore)
            {
                worker.Object(action);
            }

            return (uint)millisecondsTimeout > Worker.LongWaitMilliseconds && worker.MayNameWait
                ? WaitAndName(worker, waitHandles, waitAll, millisecondsTimeout)
                : WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }
        finally
        {
            worker.LeaveWait();
        }
    }

    /// <summary>Waits in two steps, and names the wait between them: a long wait has the time for it, and short waits pay nothing.</summary>
    private static int WaitAndName(Worker worker, nint[] waitHandles, bool waitAll, int millisecondsTimeout)
    {
        // Reading the clock costs as much as half of the hook.
        long start = millisecondsTimeout == Timeout.Infinite ? 0 : Worker.Timestamp();
        int result = WaitHelper(waitHandles, waitAll, Worker.LongWaitMilliseconds);
        if (result != WaitHandle.WaitTimeout)
        {
            return result;
        }

        worker.NameWait(TimeSpan.FromMilliseconds(Worker.LongWaitMilliseconds));
        long left = millisecondsTimeout == Timeout.Infinite ? Timeout.Infinite
            : Math.Max(0, millisecondsTimeout - (long)Stopwatch.GetElapsedTime(start, Worker.Timestamp()).TotalMilliseconds);
        return WaitHelper(waitHandles, waitAll, (int)left);
    }

    /// <summary>A callback that does not bring its execution context. Such callbacks are few, so the items that are queued for awaits save a word.</summary>
    private sealed record Flowing(SendOrPostCallback Callback, object? State, ExecutionContext? Flow);
}
