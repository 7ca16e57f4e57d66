namespace AdaptivePool.Balancing;

/// <summary>Chooses a backend for a request. Implementations are pure but for what they remember: the time is an argument. Not thread-safe.</summary>
public interface IBalancer
{
    /// <summary>Chooses.</summary>
    /// <param name="backends">Those that may be chosen; their order stays the same from call to call.</param>
    /// <param name="now">The present time, of the clock that the states' times are of.</param>
    /// <returns>The choice. The caller tells the chosen one by <see cref="BackendState.Begin"/>.</returns>
    BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now);
}
