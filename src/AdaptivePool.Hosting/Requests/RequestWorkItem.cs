using System.Diagnostics;
using AdaptivePool.Hosting.Load;

namespace AdaptivePool.Hosting.Requests;

/// <summary>One request: the rest of the pipeline.</summary>
internal sealed class RequestWorkItem : ServerWorkItem
{
    /// <summary>Asking whether the client has gone makes the server create what would tell; who has waited this long has the time for it.</summary>
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(10);

    private readonly long _queuedAt = Stopwatch.GetTimestamp();
    private readonly AdaptivePoolMiddleware _owner;
    private readonly HttpContext _context;
    private readonly RequestTarget _target;
    private readonly LoadTicket? _ticket;

    public RequestWorkItem(AdaptivePoolMiddleware owner, HttpContext context, RequestTarget target, LoadTicket? ticket)
        : base(target.OnBlocking)
    {
        (_owner, _context, _target, _ticket) = (owner, context, target, ticket);
        ticket?.BeginWait();
    }

    /// <summary>The item could not be queued: its pool is disposed.</summary>
    public void Withdraw()
    {
        _ticket?.EndWait();
        OnEnd();
    }

    protected override Task Begin()
    {
        if (Stopwatch.GetElapsedTime(_queuedAt) < s_longWait || !_context.RequestAborted.IsCancellationRequested || _context.Response.HasStarted)
        {
            _ticket?.EndWait();
            return _owner.RunNext(_context);
        }

        return _owner.Drop(_context, _target);
    }

    protected override void OnEnd() => _target.Open?.End();

    protected override Task Answer(WorkRefusedException refusal) => _owner.Refuse(_context, _target, refusal);
}
