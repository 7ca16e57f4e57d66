using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>A MariaDB server for a whole run, where one is wanted and installed.</summary>
public sealed class BurstEnvironment : ScenarioEnvironment
{
    private MariaDbServer? _server;

    /// <summary>Starts the server.</summary>
    public static async Task<BurstEnvironment> StartAsync(bool isWanted, CancellationToken cancellationToken)
    {
        BurstEnvironment environment = new();
        if (isWanted && MariaDbServer.Find() is { } program)
        {
            MariaDbServer server = await MariaDbServer.StartAsync(program, BurstScenario.IdleTimeout, cancellationToken);
            environment._server = server;
            environment.Settings[MariaDbBurstServer.SocketSetting] = server.SocketPath;
            environment.Settings[MariaDbBurstServer.ProcessSetting] = server.ProcessId.ToString(CultureInfo.InvariantCulture);
            environment.Settings[MariaDbBurstServer.TurnsSetting] = server.Calibrate().ToString("R", CultureInfo.InvariantCulture);
        }

        return environment;
    }

    /// <inheritdoc/>
    public override string? WhySkipped(string pool) => pool == BurstScenario.MariaDb && _server is null ? MariaDbServer.HowToInstall : null;

    /// <summary>Lets the connections of the round before end, and the threads that served them.</summary>
    public override async Task BeforeRoundAsync(ScenarioCase scenarioCase, CancellationToken cancellationToken)
    {
        if (_server is not null)
        {
            await Task.Delay(2 * BurstScenario.IdleTimeout, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        await base.DisposeAsync();
    }
}
