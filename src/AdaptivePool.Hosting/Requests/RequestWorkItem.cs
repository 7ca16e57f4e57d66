using System.Diagnostics;
using AdaptivePool.Hosting.Load;

namespace AdaptivePool.Hosting.Requests;

/// <summary>One request: the rest of the pipeline.</summary>
/// <param name="owner">Runs the rest of the pipeline.</param>
/// <param name="context">The request.</param>
/// <param name="target">Where it runs.</param>
/// <param name="ticket">Counts its wait; <see langword="null"/> where the load is not reported.</param>
internal sealed class RequestWorkItem(AdaptivePoolMiddleware owner, HttpContext context, RequestTarget target, LoadTicket? ticket)
    : ServerWorkItem(target.OnBlocking)
{
    /// <summary>To find out whether the client has gone, the server must create a token. A request that has waited this long has the time for it.</summary>
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(10);

    private readonly long _queuedAt = Stopwatch.GetTimestamp();

    /// <summary>The item is about to be queued.</summary>
    public void Enter()
    {
        ticket?.BeginWait();
        target.Open?.Begin();
    }

    /// <summary>The item could not be queued: its pool is disposed.</summary>
    public void Withdraw()
    {
        ticket?.EndWait();
        OnEnd();
    }

    protected override Task Begin()
    {
        // The error page of a request that has run is never dropped: the token may tell of a timeout, and the client waits for that page.
        if (Stopwatch.GetElapsedTime(_queuedAt) < s_longWait || !context.RequestAborted.IsCancellationRequested || context.Response.HasStarted
            || RequestEnd.IsRunAgain(context))
        {
            ticket?.EndWait();
            return owner.RunNext(context);
        }

        return owner.Drop(context, target);
    }

    protected override void OnEnd() => target.Open?.End();

    protected override Task Answer(WorkRefusedException refusal) => owner.Refuse(context, target, refusal);
}
