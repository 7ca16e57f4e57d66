using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace AdaptivePool.Hosting.Health;

/// <summary>How well a pool is, from its snapshot.</summary>
internal static class PoolHealthRule
{
    /// <summary>From here on the runtime's pool adds threads, slowly; a process that starts may be near it for other reasons.</summary>
    private static readonly TimeSpan s_starved = TimeSpan.FromSeconds(1);

    /// <param name="snapshot">The pool's state.</param>
    /// <param name="degradedWait">How long the oldest item may wait while most workers are blocked.</param>
    public static HealthCheckResult Judge(PoolSnapshot snapshot, TimeSpan degradedWait)
    {
        var blocked = snapshot.Workers.Count(static worker => worker.State is WorkerState.BlockedManaged or WorkerState.BlockedKernel);
        var data = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["pool"] = snapshot.Name,
            ["threads"] = snapshot.Existing,
            ["maxThreads"] = snapshot.MaxThreads,
            ["blocked"] = blocked,
            ["idle"] = snapshot.Idle,
            ["queued"] = snapshot.Queued,
            ["oldestWaitSeconds"] = snapshot.OldestWait.TotalSeconds,
            ["runtimePoolDelaySeconds"] = snapshot.RuntimePoolDelay.TotalSeconds,
            ["blockers"] = string.Join(
                "; ",
                snapshot.Blockers.Where(static blocker => blocker.Blocked > 0)
                    .Select(static blocker => $"{blocker.Blocked.ToString(CultureInfo.InvariantCulture)} in {blocker.Where}")),
        };
        if (snapshot.IsDeadlocked)
        {
            return HealthCheckResult.Unhealthy(
                $"Pool '{snapshot.Name}' is deadlocked: MaxThreads is reached, every worker with an item is blocked, and nothing moves.", data: data);
        }

        if (snapshot.RuntimePoolDelay >= s_starved)
        {
            return HealthCheckResult.Degraded(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The runtime's thread pool is starved: work waits {snapshot.RuntimePoolDelay.TotalSeconds:F1} s there, and the "
                    + $"server's reading of requests with it."),
                data: data);
        }

        return 2 * blocked > snapshot.Active && snapshot.OldestWait >= degradedWait
            ? HealthCheckResult.Degraded(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Pool '{snapshot.Name}': {blocked} of {snapshot.Existing} workers are blocked, and the oldest item waits "
                    + $"{snapshot.OldestWait.TotalSeconds:F1} s."),
                data: data)
            : HealthCheckResult.Healthy(data: data);
    }

    /// <summary>One result of several: the worst counts, and the data of every pool are there.</summary>
    /// <param name="results">Names and results; the data of a pool with a name get it as a prefix.</param>
    public static HealthCheckResult Merge(IReadOnlyList<(string? Name, HealthCheckResult Result)> results)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal);
        foreach (var (name, result) in results)
        {
            foreach (var (key, value) in result.Data)
            {
                data[name is null ? key : $"{name}.{key}"] = value;
            }
        }

        var told = string.Join(" ", results.Select(static it => it.Result.Description).OfType<string>());
        return new HealthCheckResult(results.Min(static it => it.Result.Status), told.Length == 0 ? null : told, data: data);
    }
}
