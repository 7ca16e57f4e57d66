namespace AdaptivePool.Balancing;

/// <summary>
/// Chooses a backend for each request. Implementations are pure except for what they remember: they get the time as an argument. Not thread-safe.
/// </summary>
public interface IBalancer
{
    /// <summary>Chooses a backend.</summary>
    /// <param name="backends">The backends to choose from. Their order must be the same in each call.</param>
    /// <param name="now">The present time, of the same clock as the times in the states.</param>
    /// <returns>The choice. The caller reports it to the chosen backend's state with <see cref="BackendState.Begin"/>.</returns>
    BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now);
}
