namespace AdaptivePool.Scenarios.Harness;

/// <summary>One round of one case for one pool, in the parent.</summary>
/// <param name="Scenario">The scenario.</param>
/// <param name="Case">The case.</param>
/// <param name="Pool">The pool.</param>
/// <param name="Number">Number of the round in the case, from 0.</param>
/// <param name="Quick">Whether the round is short.</param>
/// <param name="Environment">The environment that the rounds share.</param>
public sealed record RoundContext(Scenario Scenario, ScenarioCase Case, string Pool, int Number, bool Quick, ScenarioEnvironment Environment)
{
    /// <summary>Longest time a child may take for the round.</summary>
    public TimeSpan TimeLimit => Case.TimeLimit ?? Scenario.ChildTimeLimit;

    /// <summary>The request for the child of this round.</summary>
    public ChildRequest ToRequest() => new()
    {
        Scenario = Scenario.Name,
        Case = Case.Name,
        Pool = Pool,
        Quick = Quick,
        Cores = Case.Cores,
        Settings = new Dictionary<string, string>(Environment.Settings, StringComparer.Ordinal),
    };

    /// <summary>Runs the whole round in a child process.</summary>
    public async Task<IReadOnlyList<MeasuredValue>> RunChildAsync(CancellationToken cancellationToken)
    {
        using ChildProcess child = new(ToRequest());
        return await child.WaitAsync(TimeLimit, cancellationToken);
    }
}
