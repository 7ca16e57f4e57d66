namespace AdaptivePool.Scenarios.Harness;

/// <summary>What a whole run shares: settings that every child gets, and hooks around rounds.</summary>
public class ScenarioEnvironment : IAsyncDisposable
{
    /// <summary>Settings handed to each child.</summary>
    public IDictionary<string, string> Settings { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>Why a case cannot run here; null when it can.</summary>
    public virtual string? WhySkipped(ScenarioCase scenarioCase) => null;

    /// <summary>Why a pool cannot run here; null when it can.</summary>
    public virtual string? WhySkipped(string pool) => null;

    /// <summary>Runs before each round, so that rounds do not inherit from each other.</summary>
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
