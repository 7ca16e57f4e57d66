using AdaptivePool.Dispatch;
using AdaptivePool.Runtime;

namespace AdaptivePool.Guests;

/// <summary>
/// The context that guests of a class run under, on threads of the runtime's pool. Awaits come back to that pool and stay under it, for as long as the class is
/// trusted; the runtime calls <see cref="Wait"/> on the thread that is about to block.
/// </summary>
internal sealed class GuestContext : SynchronizationContext
{
    private readonly GuestClass _guests;

    public GuestContext(GuestClass guests)
    {
        _guests = guests;
        SetWaitNotificationRequired();
    }

    /// <summary>Queues what follows an await, in the runtime's pool; where trust was lost meanwhile, as work in flight of the class.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (!_guests.IsGuest)
        {
            _guests.Owner.Context.Post(d, state);
            return;
        }

        ExecutionContext? flow = AwaitCallbacks.BringsItsContext(d, state) ? null : ExecutionContext.Capture();
        RuntimePoolView.Queue(new PostedGuest(_guests, d, state, flow), preferLocal: true);
    }

    /// <summary>Runs the callback here, as the runtime's own context does: the caller may hold up the thread that it would wait for.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        _guests.RunCallback(d, state);
    }

    public override SynchronizationContext CreateCopy() => this;

    public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
    {
        if (millisecondsTimeout == 0)
        {
            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }

        _guests.EnterWait();
        try
        {
            if (_guests.Owner.ActionOnBlocking is var action and not BlockingAction.Ignore)
            {
                _guests.Object(action);
            }

            return WaitHelper(waitHandles, waitAll, millisecondsTimeout);
        }
        finally
        {
            GuestClass.LeaveWait();
        }
    }

    private sealed class PostedGuest(GuestClass guests, SendOrPostCallback callback, object? state, ExecutionContext? flow) : IThreadPoolWorkItem
    {
        private static readonly ContextCallback s_run = static it => ((PostedGuest)it!).Run();

        public void Execute()
        {
            if (flow is not null)
            {
                ExecutionContext.Run(flow, s_run, this);
            }
            else
            {
                Run();
            }
        }

        private void Run() => guests.RunCallback(callback, state);
    }
}
