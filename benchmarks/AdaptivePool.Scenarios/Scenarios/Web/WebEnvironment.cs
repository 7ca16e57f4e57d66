using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Scenarios.Postgres;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A database for the endpoints that need it, when the server's programs are installed.</summary>
public sealed class WebEnvironment : ScenarioEnvironment
{
    private PostgresEnvironment? _database;

    /// <summary>Starts a cluster when a chosen case needs one and the programs are there.</summary>
    public static async Task<WebEnvironment> StartAsync(bool needsDatabase, Action<string> say, CancellationToken cancellationToken)
    {
        WebEnvironment environment = new();
        if (needsDatabase && PostgresBinaries.Find() is not null)
        {
            environment._database = await PostgresEnvironment.StartAsync(say, cancellationToken);
            foreach ((string name, string value) in environment._database.Settings)
            {
                environment.Settings[name] = value;
            }
        }

        return environment;
    }

    /// <inheritdoc/>
    public override string? WhySkipped(ScenarioCase scenarioCase) =>
        WebCases.NeedsDatabase(scenarioCase.Name) && _database is null ? PostgresBinaries.HowToInstall : null;

    /// <inheritdoc/>
    public override Task BeforeRoundAsync(ScenarioCase scenarioCase, CancellationToken cancellationToken) =>
        WebCases.NeedsDatabase(scenarioCase.Name) ? _database!.BeforeRoundAsync(scenarioCase, cancellationToken) : Task.CompletedTask;

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        if (_database is not null)
        {
            await _database.DisposeAsync();
        }

        await base.DisposeAsync();
    }
}
