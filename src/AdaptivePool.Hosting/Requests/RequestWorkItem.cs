using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Requests;

/// <summary>One request: the rest of the pipeline.</summary>
internal sealed class RequestWorkItem(RequestDelegate next, HttpContext context, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    protected override Task Begin() => next(context) ?? throw new InvalidOperationException("The request pipeline returned null instead of a task.");
}
