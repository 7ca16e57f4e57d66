using System.Diagnostics.Metrics;
using System.Globalization;

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
        from waits in core.Queue.Ages.Tell(static clock => Array.ConvertAll(s_quantiles, clock.Percentile))
        from wait in s_quantiles.Zip(waits.Value)
        select new Measurement<double>(
            wait.Second,
            Tag("pool", pool.Name),
            Tag("class", core.Name),
            Tag("priority", waits.Key.ToString()),
            Tag("quantile", wait.First.ToString(CultureInfo.InvariantCulture)));

    public static IEnumerable<Measurement<long>> OfGroups(AdaptiveThreadPool pool) => pool.ThreadGroups < 2 ? []
        : Enumerable.Range(0, pool.ThreadGroups)
            .Select(group => new Measurement<long>(pool.Set.QueuedAt(group), Tag("pool", pool.Name), Tag("group", group)));

    private static KeyValuePair<string, object?> Tag(string name, object value) => new(name, value);
}
