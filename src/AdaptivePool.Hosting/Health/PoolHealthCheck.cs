using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace AdaptivePool.Hosting.Health;

/// <summary>Asks the application's pools how they are. Never runs on them.</summary>
internal sealed class PoolHealthCheck(IReadOnlyList<(string? Name, AdaptiveThreadPool Pool)> pools, TimeSpan degradedWait) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var result = PoolHealthRule.Merge([.. pools.Select(it => (it.Name, PoolHealthRule.Judge(it.Pool.GetSnapshot(), degradedWait)))]);

        // Whoever registers the check may want another status than Unhealthy for a failure.
        return Task.FromResult(
            result.Status == HealthStatus.Unhealthy
                ? new HealthCheckResult(context.Registration.FailureStatus, result.Description, data: result.Data) : result);
    }
}
