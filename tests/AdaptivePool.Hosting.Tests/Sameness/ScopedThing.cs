namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>A service of a request. Tells when it is disposed, after an await.</summary>
internal sealed class ScopedThing : IAsyncDisposable
{
    private readonly Trace? _trace = Trace.Current;

    public async ValueTask DisposeAsync()
    {
        _trace?.Add("service is disposed");
        await Task.Yield();
        _trace?.Add($"service has been disposed in the flow of {(ReferenceEquals(_trace, Trace.Current) ? "its request" : "another")}");
    }
}
