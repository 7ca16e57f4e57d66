using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation.Fleet;

namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>What the processes of a round did, in bins of the clock that they share.</summary>
/// <param name="begin">Beginning of the round.</param>
public sealed class FleetRecord(DateTimeOffset begin)
{
    private const int PerSecond = 1_000 / FleetInstanceRun.BinMilliseconds;

    /// <summary>Share of the steady throughput that must be there for a window to be settled.</summary>
    private const double KeptRate = 0.9;

    private readonly List<(double From, double Until, Dictionary<long, double> Bins)> _instances = [];
    private readonly SortedDictionary<long, double> _totals = [];
    private readonly long _firstBin = begin.ToUnixTimeMilliseconds() / FleetInstanceRun.BinMilliseconds;

    /// <summary>Adds what an instance measured.</summary>
    /// <param name="from">When it began, in seconds from the beginning.</param>
    /// <param name="until">When it ended.</param>
    /// <param name="values">What it reported.</param>
    public void Add(double from, double until, IEnumerable<MeasuredValue> values)
    {
        Dictionary<long, double> bins = [];
        foreach (MeasuredValue value in values.Where(static v => v.Metric.StartsWith(FleetInstanceRun.BinPrefix, StringComparison.Ordinal)))
        {
            bins[long.Parse(value.Metric.AsSpan(FleetInstanceRun.BinPrefix.Length), CultureInfo.InvariantCulture) - _firstBin] = value.Value;
        }

        foreach (MeasuredValue value in values.Where(static v => v.Metric.StartsWith(FleetInstanceRun.TotalPrefix, StringComparison.Ordinal)))
        {
            // All have the same but for a fifth of a second.
            _totals[long.Parse(value.Metric.AsSpan(FleetInstanceRun.TotalPrefix.Length), CultureInfo.InvariantCulture) - _firstBin] = value.Value;
        }

        _instances.Add((from, until, bins));
    }

    /// <summary>Transactions of each half second, and the totals that came into force in it, to be read by people: why a time was not settled.</summary>
    /// <param name="from">From when on.</param>
    /// <param name="until">Until when.</param>
    public string Trace(double from, double until)
    {
        const double Step = 0.5;
        List<string> parts = [];
        for (double at = from; at + Step <= until + 1e-6; at += Step)
        {
            (long first, long last) = ((long)Math.Round(at * PerSecond), (long)Math.Round((at + Step) * PerSecond));
            double rate = _instances.Sum(i => i.Bins.Where(b => b.Key >= first && b.Key < last).Sum(static b => b.Value)) / Step;
            string totals = string.Join(',', _totals.Where(t => t.Key >= first && t.Key < last).Select(static t => t.Value).Distinct());
            parts.Add(string.Create(CultureInfo.InvariantCulture, $"{at:0.0}s:{rate:0}{(totals.Length > 0 ? $"({totals})" : "")}"));
        }

        return string.Join(' ', parts);
    }

    /// <summary>Transactions a second of all.</summary>
    public double Rate(double from, double until) => Rates(from, until).Sum();

    /// <summary>Farthest distance of an instance that is there all the time from its fair share, in per cent.</summary>
    public double SpreadPercent(double from, double until)
    {
        double[] rates = [.. Rates(from, until)];
        double fair = rates.Average();
        return fair > 0 ? 100 * rates.Max(r => Math.Abs(r - fair) / fair) : double.PositiveInfinity;
    }

    /// <summary>Seconds after a change until all windows from there on are fair and have the throughput.</summary>
    /// <param name="change">When it was.</param>
    /// <param name="until">Until when is looked.</param>
    /// <param name="steady">The throughput before.</param>
    public double Settled(double change, double until, double steady)
    {
        double settled = 0;
        for (int i = 0; change + ((double)i / PerSecond) + FleetCriteria.WindowSeconds <= until + 1e-6; i++)
        {
            double from = change + ((double)i / PerSecond);
            double end = from + FleetCriteria.WindowSeconds;
            if (SpreadPercent(from, end) > 100 * FleetCriteria.Spread || Rate(from, end) < KeptRate * steady)
            {
                settled = (i + 1.0) / PerSecond;
            }
        }

        return settled;
    }

    private IEnumerable<double> Rates(double from, double until) => _instances.Where(i => i.From <= from + 1e-6 && i.Until >= until - 1e-6).Select(i =>
    {
        (long first, long last) = ((long)Math.Round(from * PerSecond), (long)Math.Round(until * PerSecond));
        double sum = 0;
        for (long bin = first; bin < last; bin++)
        {
            sum += i.Bins.GetValueOrDefault(bin);
        }

        return sum / (until - from);
    });
}
