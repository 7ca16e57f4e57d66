namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// The smoothed share of each balancer in a backend's requests. Each balancer gets its share of what the backend can bear. Pure except for what it remembers;
/// not thread-safe.
/// </summary>
public sealed class BalancerShares
{
    /// <summary>Weight of a new period.</summary>
    private const double NewShare = 0.3;

    /// <summary>The least share of a balancer, as a share of an equal part. With no share it could never show that it needs more.</summary>
    private const double LeastOfEqual = 0.1;

    private readonly Dictionary<string, Row> _rows = new(StringComparer.Ordinal);

    /// <summary>Creates the shares of the balancers that may request the load.</summary>
    /// <param name="balancers">Their names; none means that there is one balancer without a name.</param>
    /// <exception cref="ArgumentException">A name is empty or occurs twice.</exception>
    public BalancerShares(IEnumerable<string> balancers)
    {
        ArgumentNullException.ThrowIfNull(balancers);
        foreach (string name in balancers)
        {
            if (string.IsNullOrWhiteSpace(name) || !_rows.TryAdd(name, new Row()))
            {
                throw new ArgumentException($"The balancer name '{name}' is empty or occurs twice.", nameof(balancers));
            }
        }
    }

    /// <summary>Whether no balancer has a name.</summary>
    internal bool IsEmpty => _rows.Count == 0;

    /// <summary>Whether a balancer is known.</summary>
    /// <param name="balancer">Its name.</param>
    public bool Knows(string balancer) => _rows.ContainsKey(balancer);

    /// <summary>Reports that a request of a known balancer has arrived.</summary>
    /// <param name="balancer">Its name.</param>
    public void Count(string balancer) => _rows[balancer].Requests++;

    /// <summary>Ends a period: the requests counted in it become part of the shares.</summary>
    public void EndPeriod()
    {
        double all = _rows.Values.Sum(row => row.Requests);
        foreach (Row row in _rows.Values)
        {
            if (all > 0)
            {
                row.Share += NewShare * ((row.Requests / all) - row.Share);
            }

            row.Requests = 0;
        }
    }

    /// <summary>Gets the share of a known balancer, 0 to 1.</summary>
    /// <param name="balancer">Its name.</param>
    public double Of(string balancer)
    {
        double sum = _rows.Values.Sum(static row => row.Share);
        double equal = 1.0 / _rows.Count;
        return sum > 0 ? Math.Max(LeastOfEqual * equal, _rows[balancer].Share / sum) : equal;
    }

    private sealed class Row
    {
        public double Share { get; set; }

        public long Requests { get; set; }
    }
}
