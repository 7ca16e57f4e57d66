using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Gives each request its trace, before any middleware runs, and ends it after everything else.</summary>
internal sealed class TracingContextFactory(IServiceProvider services, ConcurrentDictionary<string, Trace> traces) : IHttpContextFactory
{
    private readonly DefaultHttpContextFactory _inner = new(services);

    public HttpContext Create(IFeatureCollection featureCollection)
    {
        HttpContext context = _inner.Create(featureCollection);
        Trace trace = context.Request.Headers[Trace.Header] is [{ } name] ? traces.GetOrAdd(name, static _ => new Trace()) : new Trace();
        context.Features.Set(trace);
        Trace.Current = trace;
        return context;
    }

    public void Dispose(HttpContext httpContext)
    {
        var trace = Trace.Of(httpContext);
        _inner.Dispose(httpContext);
        trace.Finish();
    }
}
