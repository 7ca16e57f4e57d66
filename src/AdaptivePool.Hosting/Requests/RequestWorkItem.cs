using System.Diagnostics;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Requests;

/// <summary>One request: the rest of the pipeline.</summary>
internal sealed class RequestWorkItem(AdaptivePoolMiddleware owner, HttpContext context, RequestTarget target) : ServerWorkItem(target.OnBlocking)
{
    /// <summary>Asking whether the client has gone makes the server create what would tell; who has waited this long has the time for it.</summary>
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(10);

    private readonly long _queuedAt = Stopwatch.GetTimestamp();

    protected override Task Begin() =>
        Stopwatch.GetElapsedTime(_queuedAt) >= s_longWait && context.RequestAborted.IsCancellationRequested && !context.Response.HasStarted
            ? owner.Drop(context, target)
            : owner.RunNext(context);

    protected override void OnEnd() => target.Open?.End();

    protected override Task Answer(WorkRefusedException refusal) => owner.Refuse(context, target, refusal);
}
