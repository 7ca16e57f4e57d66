namespace AdaptivePool.Balancing;

/// <summary>A balancer's answer.</summary>
/// <param name="Index">Position of the chosen backend; -1 when all are at their limit, or there is none.</param>
/// <param name="RetryAfter">How long until the first of them may take another one; zero when one was chosen.</param>
public readonly record struct BalancerChoice(int Index, TimeSpan RetryAfter)
{
    /// <summary>Whether a backend was chosen.</summary>
    public bool IsChosen => Index >= 0;

    internal static BalancerChoice Of(int index) => new(index, TimeSpan.Zero);

    internal static BalancerChoice None(TimeSpan retryAfter) => new(-1, retryAfter);
}
