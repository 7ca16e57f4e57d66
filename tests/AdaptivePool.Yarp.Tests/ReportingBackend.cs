using System.Collections.Concurrent;
using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A backend that answers with a header that a test writes, and remembers what it was asked.</summary>
internal sealed class ReportingBackend : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _requests;

    private ReportingBackend(WebApplication app) => _app = app;

    /// <summary>The next answers' header; null for none.</summary>
    public string? Report { get; set; }

    public int Requests => Volatile.Read(ref _requests);

    public string Url => _app.Urls.First();

    /// <summary>Balancer name and load header of each request.</summary>
    public ConcurrentQueue<(string? Balancer, string? Load)> Asked { get; } = new();

    public static async Task<ReportingBackend> StartAsync()
    {
        ReportingBackend? self = null;
        WebApplication app = await Front.StartAsync(it => it.Run(context => self!.AnswerAsync(context)));
        return self = new ReportingBackend(app);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private Task AnswerAsync(HttpContext context)
    {
        Interlocked.Increment(ref _requests);
        Asked.Enqueue((context.Request.Headers[LoadReport.BalancerHeaderName], context.Request.Headers[LoadReport.HeaderName]));
        if (Report is { } report)
        {
            context.Response.Headers[LoadReport.HeaderName] = report;
            context.Response.Headers["endpoint-load-metrics"] = "TEXT application_utilization=0.5";
        }

        return context.Response.WriteAsync("ok");
    }
}
