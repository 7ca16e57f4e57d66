namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>How an endpoint is driven.</summary>
/// <param name="Path">The endpoint.</param>
/// <param name="Connections">Connections that each keep one request outstanding.</param>
public sealed record WebCase(string Path, int Connections)
{
    /// <summary>Whether the endpoint needs the database.</summary>
    public bool NeedsDatabase => WebServer.NeedsDatabase(Path);
}
