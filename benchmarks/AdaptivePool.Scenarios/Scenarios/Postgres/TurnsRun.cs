using System.Diagnostics;
using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Few clients, at which the database is about at its peak, and many, in turns; what many keep is compared with the few right before and right
/// after.</summary>
public sealed class TurnsRun(ChildContext child)
{
    private const int Few = 16;
    private static readonly int[] s_many = [1_024, 4_096];
    private readonly ClientTurns _turns = new(child, s_many.Max());
    private readonly TimeSpan _counted = child.Seconds(4, 2);

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics =>
    [
        new("tps-peak", "1/s", Better.Higher),
        .. s_many.Select(static n => new MetricInfo(Named("kept-{0}-percent", n), "%", Better.Higher)),
        new("p99-inside-peak-ms", "ms", Better.Lower),
        .. s_many.Select(static n => new MetricInfo(Named("p99-inside-{0}-ms", n), "ms", Better.Lower)),
        .. s_many.Select(static n => new MetricInfo(Named("p99-inside-{0}-to-peak", n), "times", Better.Lower)),
    ];

    /// <summary>Warms up, then takes turns: at least one round, then as many as are wanted and begin within the time.</summary>
    /// <param name="warmUp">Time at each number of clients that does not count.</param>
    /// <param name="rounds">Most rounds.</param>
    /// <param name="time">No round begins later, counted from the first one.</param>
    public void Measure(TimeSpan warmUp, int rounds, TimeSpan time)
    {
        foreach (int many in s_many)
        {
            _turns.Take(many, warmUp / 3);
        }

        _turns.Take(Few, warmUp);
        ClientTurn before = Peak();
        long start = Stopwatch.GetTimestamp();
        for (int round = 0; round == 0 || (round < rounds && Stopwatch.GetElapsedTime(start) < time); round++)
        {
            foreach (int many in s_many)
            {
                ClientTurn turn = _turns.Take(many, _counted);
                ClientTurn after = Peak();
                child.Report(Named("tps-{0}", many), turn.Tps);
                child.Report(Named("kept-{0}-percent", many), 100 * turn.Tps / ((before.Tps + after.Tps) / 2));
                ReportTime(Named("p99-inside-{0}-ms", many), turn.P99Inside);
                ReportTime(Named("p99-inside-{0}-to-peak", many), turn.P99Inside / ((before.P99Inside + after.P99Inside) / 2));
                before = after;
            }
        }

        _turns.ReportEnd();
    }

    private static string Named(string format, int clients) => string.Format(CultureInfo.InvariantCulture, format, clients);

    private ClientTurn Peak()
    {
        ClientTurn turn = _turns.Take(Few, _counted);
        child.Report("tps-peak", turn.Tps);
        ReportTime("p99-inside-peak-ms", turn.P99Inside);
        return turn;
    }

    private void ReportTime(string metric, double value)
    {
        if (double.IsFinite(value))
        {
            child.Report(metric, value);
        }
    }
}
