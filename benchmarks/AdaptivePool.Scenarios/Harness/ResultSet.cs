namespace AdaptivePool.Scenarios.Harness;

/// <summary>The results of a run.</summary>
public sealed class ResultSet(Scenario scenario)
{
    private readonly List<ResultCell> _cells = [];

    /// <summary>The cells, in the order in which they first got a value.</summary>
    public IReadOnlyList<ResultCell> Cells => _cells;

    /// <summary>Adds one round's value.</summary>
    public void Add(string caseName, string pool, MeasuredValue measured)
    {
        ResultCell? cell = Find(caseName, pool, measured.Metric);
        if (cell is null)
        {
            MetricInfo metric = scenario.Metrics.FirstOrDefault(m => m.Name == measured.Metric)
                ?? throw new InvalidOperationException($"Scenario '{scenario.Name}' does not declare the metric '{measured.Metric}'.");
            cell = new ResultCell(scenario.Name, caseName, pool, metric);
            _cells.Add(cell);
        }

        cell.Values.Add(measured.Value);
        cell.Censored |= measured.Censored;
    }

    /// <summary>Finds a cell; null when it has no value.</summary>
    public ResultCell? Find(string caseName, string pool, string metric) =>
        _cells.Find(c => c.Case == caseName && c.Pool == pool && c.Metric.Name == metric);

    /// <summary>Pools that have values of a metric in a case.</summary>
    public IReadOnlyList<ResultCell> Row(string caseName, string metric) =>
        [.. _cells.Where(c => c.Case == caseName && c.Metric.Name == metric)];
}
