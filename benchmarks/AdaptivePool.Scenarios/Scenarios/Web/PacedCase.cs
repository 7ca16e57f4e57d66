namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>Requests at a fixed rate, whatever the server does.</summary>
/// <param name="Path">The endpoint.</param>
/// <param name="PerSecond">Requests a second.</param>
/// <param name="Description">What <c>list</c> says of it.</param>
/// <param name="Beside">Another endpoint that gets requests meanwhile, at <paramref name="BesidePerSecond"/>; null for none. Its answers are not timed.</param>
/// <param name="BesidePerSecond">Requests a second to it.</param>
public sealed record PacedCase(string Path, double PerSecond, string Description, string? Beside = null, double BesidePerSecond = 0)
{
    /// <summary>Whether an endpoint needs the database.</summary>
    public bool NeedsDatabase => WebServer.NeedsDatabase(Path) || (Beside is not null && WebServer.NeedsDatabase(Beside));
}
