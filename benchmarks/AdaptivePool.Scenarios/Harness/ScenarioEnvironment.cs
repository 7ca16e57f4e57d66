namespace AdaptivePool.Scenarios.Harness;

/// <summary>The parts that a whole run shares: settings that every child gets, and hooks around rounds.</summary>
public class ScenarioEnvironment : IAsyncDisposable
{
    /// <summary>The settings that each child gets.</summary>
    public IDictionary<string, string> Settings { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>The reason why a case cannot run here; null if it can.</summary>
    public virtual string? WhySkipped(ScenarioCase scenarioCase) => null;

    /// <summary>The reason why a pool cannot run here; null if it can.</summary>
    public virtual string? WhySkipped(string pool) => null;

    /// <summary>Runs before each round, so that no round is affected by the previous one.</summary>
    public virtual Task BeforeRoundAsync(ScenarioCase scenarioCase, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Runs after each round, also after a failed one.</summary>
    public virtual Task AfterRoundAsync(ScenarioCase scenarioCase) => Task.CompletedTask;

    /// <inheritdoc/>
    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return default;
    }
}
