namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>Requests at a fixed rate, whatever the server does.</summary>
/// <param name="Path">The endpoint.</param>
/// <param name="PerSecond">Requests a second.</param>
/// <param name="Description">What <c>list</c> says of it.</param>
public sealed record PacedCase(string Path, double PerSecond, string Description)
{
    /// <summary>Whether the endpoint needs the database.</summary>
    public bool NeedsDatabase => WebServer.NeedsDatabase(Path);
}
