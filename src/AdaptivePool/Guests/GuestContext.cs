using AdaptivePool.Dispatch;
using AdaptivePool.Runtime;

namespace AdaptivePool.Guests;

/// <summary>
/// The context that a guest runs under, on threads of the runtime's pool. Awaits come back to that pool and stay under the context, for as long as the class
/// is trusted; the runtime calls <see cref="Wait"/> on the thread that is about to block. Each request that is on its way has a context of its own, which sees
/// the end of the request: what the server does next is no part of the guest, and runs inline only where no context is current.
/// </summary>
internal sealed class GuestContext : SynchronizationContext, IThreadPoolWorkItem
{
    // What was posted last and has not begun: most requests await one thing at a time.
    private SendOrPostCallback? _callback;
    private object? _state;
    private ExecutionContext? _flow;
    private int _isPosted;

    private Task _work = Task.CompletedTask;
    private TaskCompletionSource? _end;
    private Action? _onEnd;

    public GuestContext(GuestClass guests)
    {
        Guests = guests;
        SetWaitNotificationRequired();
    }

    /// <summary>The class of the guest.</summary>
    public GuestClass Guests { get; }

    /// <summary>Called, with this context current, when a request under it goes on elsewhere.</summary>
    /// <param name="work">The task that the request has begun.</param>
    /// <returns>The task that the server awaits. It ends as the work does, and under no context of the pool.</returns>
    public Task Follow(Task work)
    {
        var end = new TaskCompletionSource();
        (_work, _end) = (work, end);

        // Captures this context: the end of the work is reported inline where the work ends under it, and is posted otherwise.
        work.GetAwaiter().UnsafeOnCompleted(_onEnd ??= OnEnd);
        return end.Task;
    }

    /// <summary>Queues the continuation of an await in the runtime's pool; where trust was lost meanwhile, as work in flight of the class.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (!Guests.IsGuest)
        {
            Guests.Owner.Context.Post(d, state);
            return;
        }

        ExecutionContext? flow = AwaitCallbacks.BringsItsContext(d, state) ? null : ExecutionContext.Capture();

        // Pairs with the write in Execute: a thread that gets the place has seen it left.
        if (Volatile.Read(ref _isPosted) == 0 && Interlocked.Exchange(ref _isPosted, 1) == 0)
        {
            (_callback, _state, _flow) = (d, state, flow);
            RuntimePoolView.Queue(this, preferLocal: true);
        }
        else
        {
            RuntimePoolView.Queue(new PostedGuest(this, d, state, flow), preferLocal: true);
        }
    }

    /// <summary>Runs the callback here, as the runtime's own context does: the caller may hold up the thread that it would wait for.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        Run(d, state);
    }

    public override SynchronizationContext CreateCopy() => this;

    public override void OperationStarted() => Guests.LookAlways();

    public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
    {
        if (millisecondsTimeout == 0)
        {
            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }

        bool isCounted = Guests.EnterWait();
        try
        {
            if (Guests.Owner.ActionOnBlocking is var action and not BlockingAction.Ignore && GuestSlot.Running is not { HasScope: true })
            {
                Guests.Object(action);
            }

            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }
        finally
        {
            if (isCounted)
            {
                GuestClass.LeaveWait();
            }
        }
    }

    /// <summary>Runs what was posted last.</summary>
    public void Execute()
    {
        (SendOrPostCallback callback, object? state, ExecutionContext? flow) = (_callback!, _state, _flow);
        (_callback, _state, _flow) = (null, null, null);

        // Pairs with the exchange in Post.
        Volatile.Write(ref _isPosted, 0);
        Execute(callback, state, flow);
    }

    private void Execute(SendOrPostCallback callback, object? state, ExecutionContext? flow)
    {
        if (flow is not null)
        {
            // The runtime's pool restores the thread's own flow after the item.
            ExecutionContext.Restore(flow);
        }

        try
        {
            Run(callback, state);
        }
        catch (Exception exception)
        {
            // As on a worker: no task holds the exception, and guests of a class are no reason to end the process.
            Guests.Owner.Pool.Set.ReportFault(exception);
        }
    }

    private void Run(SendOrPostCallback callback, object? state) => GuestClass.RunCallback(this, callback, state);

    private void OnEnd()
    {
        (Task work, TaskCompletionSource end) = (_work, _end!);
        (_work, _end) = (Task.CompletedTask, null);
        if (!ReferenceEquals(Current, this))
        {
            // On a worker: trust was lost meanwhile.
            using var under = new UnderContext(null);
            end.SetFromTask(work);
            return;
        }

        // Here and now: the rest of the code that ended the request may take long, or wait for something that never comes, and the server would not learn of
        // the end.
        GuestSlot slot = GuestSlot.Current;
        slot.GiveBack(this);
        using GuestClass.Outside outside = new(slot, Guests);
        end.SetFromTask(work);
    }

    private sealed class PostedGuest(GuestContext context, SendOrPostCallback callback, object? state, ExecutionContext? flow) : IThreadPoolWorkItem
    {
        public void Execute() => context.Execute(callback, state, flow);
    }
}
