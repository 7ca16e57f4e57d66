namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What an exploration brought.</summary>
/// <param name="Schedules">Schedules that were run.</param>
/// <param name="IsComplete">Whether the strategy had no more.</param>
/// <param name="Failure">The first failure, if any.</param>
/// <param name="Sites">Call sites of the shim that were met.</param>
internal sealed record Exploration(int Schedules, bool IsComplete, Failure? Failure, IReadOnlySet<Site> Sites)
{
    public override string ToString() =>
        Failure is null ? $"{Schedules:N0} schedules{(IsComplete ? ", all" : string.Empty)}" : $"failure after {Schedules:N0} schedules: {Failure}";
}
