using System.Diagnostics.Metrics;
using System.Globalization;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Diagnostics;

/// <summary>The measurements of queues and waits, made when a collector asks.</summary>
internal static class QueueMetrics
{
    private static readonly double[] s_quantiles = [0.5, 0.99];

    public static IEnumerable<Measurement<long>> Waits(AdaptiveThreadPool pool) =>
        AdaptiveThreadPool.WaitsOf(pool.Set.Blockers).Select(wait => new Measurement<long>(wait.Value, Tag("pool", pool.Name), Tag("reason", wait.Key)));

    public static IEnumerable<Measurement<long>> Starved(AdaptiveThreadPool pool) =>
        pool.Set.Classes.Where(static core => core.Queue.CountsTaken)
            .Select(core => new Measurement<long>(core.Queue.DueCount, Tag("pool", pool.Name), Tag("class", core.Name)));

    public static IEnumerable<Measurement<double>> LongWaits(AdaptiveThreadPool pool) =>
        from core in pool.Set.Classes
        from waits in s_quantiles.Zip(pool.Queues.Percentiles(core, s_quantiles))
        from wait in waits.Second
        select new Measurement<double>(
            wait.Value.TotalSeconds,
            Tag("pool", pool.Name),
            Tag("class", core.Name),
            Tag("priority", wait.Key.ToString()),
            Tag("quantile", waits.First.ToString(CultureInfo.InvariantCulture)));

    public static IEnumerable<Measurement<long>> OfGroups(AdaptiveThreadPool pool) => pool.ThreadGroups < 2 ? []
        : Enumerable.Range(0, pool.ThreadGroups)
            .Select(group => new Measurement<long>(pool.Set.QueuedAt(group), Tag("pool", pool.Name), Tag("group", group)));

    private static KeyValuePair<string, object?> Tag(string name, object value) => new(name, value);
}
