namespace AdaptivePool.Simulation.Fleet;

/// <summary>What instances got: completions of each in each tenth of a second, and limits.</summary>
public sealed class FleetTrace
{
    private const int PerSecond = 10;
    private readonly FleetScenario _scenario;
    private readonly int[][] _ended;

    /// <summary>Creates an empty trace.</summary>
    public FleetTrace(FleetScenario scenario)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        _scenario = scenario;
        _ended = [.. Enumerable.Range(0, scenario.Instances).Select(_ => new int[(int)(scenario.Seconds * PerSecond) + 1])];
    }

    /// <summary>Sum of the limits, tenth by tenth of a second.</summary>
    public IList<int> Limits { get; } = [];

    /// <summary>A transaction has ended.</summary>
    public void Ended(int instance, double at) => _ended[instance][Math.Min(_ended[instance].Length - 1, (int)(at * PerSecond))]++;

    /// <summary>Transactions a second of an instance between two times.</summary>
    public double Rate(int instance, double from, double until) =>
        _ended[instance].AsSpan((int)Math.Round(from * PerSecond)..(int)Math.Round(until * PerSecond)).ToArray().Sum() / (until - from);

    /// <summary>Transactions a second of all.</summary>
    public double Rate(double from, double until) => Enumerable.Range(0, _scenario.Instances).Sum(i => Rate(i, from, until));

    /// <summary>Farthest distance of a busy instance from its fair share of what all of them got.</summary>
    public double Spread(double from, double until)
    {
        double[] rates = [.. Enumerable.Range(0, _scenario.Instances).Where(i => _scenario.IsBusy(i, from)).Select(i => Rate(i, from, until))];
        double fair = rates.Average();
        return fair > 0 ? rates.Max(r => Math.Abs(r - fair) / fair) : double.PositiveInfinity;
    }

    /// <summary>
    /// Seconds from a change until the first window from which on all windows have fair shares and the wanted throughput.
    /// </summary>
    /// <param name="change">When the change was.</param>
    /// <param name="until">End of the last window.</param>
    /// <param name="wanted">Throughput of the best limit.</param>
    public double Settled(double change, double until, double wanted)
    {
        double settled = 0;
        for (double from = change; from + FleetCriteria.WindowSeconds <= until; from += 1.0 / PerSecond)
        {
            double end = from + FleetCriteria.WindowSeconds;
            if (Spread(from, end) > FleetCriteria.Spread || Rate(from, end) < FleetCriteria.ShareOfBest * wanted)
            {
                settled = from + (1.0 / PerSecond) - change;
            }
        }

        return settled;
    }
}
