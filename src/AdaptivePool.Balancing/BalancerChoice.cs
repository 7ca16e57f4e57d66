namespace AdaptivePool.Balancing;

/// <summary>The choice of a balancer.</summary>
/// <param name="Index">The position of the chosen backend; -1 if all backends are at their limit, or there is none.</param>
/// <param name="RetryAfter">The time until the first of them may take another request; zero if a backend was chosen.</param>
public readonly record struct BalancerChoice(int Index, TimeSpan RetryAfter)
{
    /// <summary>Whether a backend was chosen.</summary>
    public bool IsChosen => Index >= 0;

    internal static BalancerChoice Of(int index) => new(index, TimeSpan.Zero);

    internal static BalancerChoice None(TimeSpan retryAfter) => new(-1, retryAfter);
}
