using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace AdaptivePool.Hosting.Health;

/// <summary>Checks the state of the application's pools. Never runs on them.</summary>
internal sealed class PoolHealthCheck(IReadOnlyList<(string? Name, AdaptiveThreadPool Pool)> pools, TimeSpan degradedWait) : IHealthCheck
{
    /// <summary>At this delay the runtime's pool adds threads, slowly. A process that starts may come near it for other reasons.</summary>
    private static readonly TimeSpan s_starved = TimeSpan.FromSeconds(1);

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var result = Merge([.. pools.Select(it => (it.Name, Judge(it.Pool.GetSnapshot(), degradedWait)))]);

        // The registration of the check may set another status than Unhealthy for a failure.
        var status = result.Status == HealthStatus.Unhealthy ? context.Registration.FailureStatus : result.Status;
        return Task.FromResult(new HealthCheckResult(status, result.Description, data: result.Data));
    }

    /// <summary>Returns the result for one pool.</summary>
    /// <param name="snapshot">The pool's state.</param>
    /// <param name="degradedWait">How long the oldest item may wait while most workers are blocked.</param>
    private static HealthCheckResult Judge(PoolSnapshot snapshot, TimeSpan degradedWait)
    {
        var (pool, delay, oldest) = (snapshot.Name, snapshot.RuntimePoolDelay.TotalSeconds, snapshot.OldestWait.TotalSeconds);
        var blocked = snapshot.Workers.Count(static worker => worker.State is WorkerState.BlockedManaged or WorkerState.BlockedKernel);
        var are = blocked == 1 ? "is" : "are";

        // Background work may wait for any time. Only a deadlock of it is a fault.
        var stuck = snapshot.IsDeadlocked ? pool : snapshot.Elastic is { IsDeadlocked: true } part ? part.Name : null;
        var blockers = snapshot.Blockers.Where(static blocker => blocker.Blocked > 0)
            .Select(static blocker => $"{blocker.Blocked.ToString(CultureInfo.InvariantCulture)} in {blocker.Where}");
        var data = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["pool"] = pool,
            ["threads"] = snapshot.Existing,
            ["maxThreads"] = snapshot.MaxThreads,
            ["blocked"] = blocked,
            ["idle"] = snapshot.Idle,
            ["queued"] = snapshot.Queued,
            ["oldestWaitSeconds"] = oldest,
            ["runtimePoolDelaySeconds"] = delay,
            ["blockers"] = string.Join("; ", blockers),
        };
        (HealthStatus Status, FormattableString? Told) state = snapshot switch
        {
            _ when stuck is not null =>
                (HealthStatus.Unhealthy, $"Pool '{stuck}' is deadlocked: it gets no more threads, all workers with an item are blocked, nothing progresses."),
            _ when snapshot.RuntimePoolDelay >= s_starved =>
                (HealthStatus.Degraded, $"The runtime's thread pool is starved: work waits {delay:F1} s there, including the server's reading of requests."),
            _ when 2 * blocked > snapshot.Active && snapshot.OldestWait >= degradedWait =>
                (HealthStatus.Degraded, $"Pool '{pool}': {blocked} of {snapshot.Existing} workers {are} blocked, and the oldest item waits {oldest:F1} s."),
            _ => (HealthStatus.Healthy, null),
        };
        return new HealthCheckResult(state.Status, state.Told?.ToString(CultureInfo.InvariantCulture), data: data);
    }

    /// <summary>Merges several results into one: the worst status counts and is told first, and the data of every pool are included.</summary>
    /// <param name="results">Names and results. The data of a pool with a name get the name as a prefix.</param>
    private static HealthCheckResult Merge(IReadOnlyList<(string? Name, HealthCheckResult Result)> results)
    {
        var data =
            from it in results
            from entry in it.Result.Data
            select KeyValuePair.Create(it.Name is null ? entry.Key : $"{it.Name}.{entry.Key}", entry.Value);
        // Each pool tells of the runtime's, which is one.
        var told = string.Join(" ", results.OrderBy(static it => it.Result.Status).Select(static it => it.Result.Description).OfType<string>().Distinct());
        return new HealthCheckResult(
            results.Min(static it => it.Result.Status), told.Length == 0 ? null : told, data: new Dictionary<string, object>(data, StringComparer.Ordinal));
    }
}
