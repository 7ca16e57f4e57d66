namespace AdaptivePool.Simulation.Cluster;

/// <summary>What was seen in a run.</summary>
public sealed class ClusterTrace
{
    private readonly ClusterScenario _scenario;
    private readonly IReadOnlyList<ClusterBackend> _backends;
    private readonly (long Arrived, long Completed)[] _before;
    private readonly (long Arrived, long Completed)[] _lastSecond;
    private readonly List<(double SentAt, double Seconds)> _answers = [];

    internal ClusterTrace(ClusterScenario scenario, IReadOnlyList<ClusterBackend> backends)
    {
        (_scenario, _backends) = (scenario, backends);
        _before = new (long, long)[backends.Count];
        _lastSecond = new (long, long)[backends.Count];
        Seconds = [.. backends.Select(_ => new List<ClusterSecond>())];
        Waits = [.. backends.Select(_ => new List<(double, double)>())];
    }

    /// <summary>Requests that were refused because all backends were at their limit.</summary>
    public int ShedCount { get; private set; }

    /// <summary>Requests that were lost with their backends.</summary>
    public int LostCount { get; private set; }

    /// <summary>Probes that were sent.</summary>
    public long Probes { get; internal set; }

    /// <summary>What each backend did in each second.</summary>
    public IReadOnlyList<List<ClusterSecond>> Seconds { get; }

    /// <summary>Average wait at each backend over time, each 50 ms.</summary>
    public IReadOnlyList<List<(double At, double Seconds)>> Waits { get; }

    /// <summary>Requests that were answered, after the warm-up.</summary>
    public int Answers => _answers.Count;

    /// <summary>
    /// The response time that a share of the requests sent in a time stays under, in seconds. One that was refused took for ever; one lost with its machine
    /// does not count.
    /// </summary>
    public double Percentile(double share, double from = 0, double to = double.PositiveInfinity)
    {
        double[] sorted = [.. _answers.Where(a => a.SentAt >= from && a.SentAt < to).Select(a => a.Seconds).Order()];
        return sorted.Length == 0 ? double.NaN : sorted[Math.Min(sorted.Length - 1, (int)Math.Ceiling(share * sorted.Length) - 1)];
    }

    /// <summary>Completions per second of a backend in a time.</summary>
    public double CompletedPerSecond(int backend, double from, double to) =>
        Seconds[backend].Where(s => s.At >= from && s.At < to).Select(s => (double)s.Completed).DefaultIfEmpty(0).Average();

    /// <summary>Arrivals per second of a backend in a time.</summary>
    public double ArrivedPerSecond(int backend, double from, double to) =>
        Seconds[backend].Where(s => s.At >= from && s.At < to).Select(s => (double)s.Arrived).DefaultIfEmpty(0).Average();

    /// <summary>
    /// Seconds from a change until ten successive quarters of a second have a p99 under 1.5 times the p99 of before; infinity when never. A quarter in which
    /// nothing was sent, as between batches, says nothing and is left out.
    /// </summary>
    /// <param name="change">When it changed.</param>
    public double SettledAfter(double change)
    {
        const double Step = 0.25;
        const int Steps = 10;
        const double Settled = 1.5;
        double before = Percentile(0.99, _scenario.WarmUp, change);
        double since = change;
        int good = 0;
        for (double at = change; at + Step <= _scenario.Seconds; at += Step)
        {
            double p99 = Percentile(0.99, at, at + Step);
            if (double.IsNaN(p99))
            {
                continue;
            }

            since = good == 0 ? at : since;
            good = p99 < Settled * before ? good + 1 : 0;
            if (good == Steps)
            {
                return since - change;
            }
        }

        return double.PositiveInfinity;
    }

    internal (long Arrived, long Completed) LastSecond(int backend) => _lastSecond[backend];

    internal void EndSecond(double now)
    {
        foreach (ClusterBackend backend in _backends)
        {
            int i = backend.Index;
            _lastSecond[i] = (backend.Arrived - _before[i].Arrived, backend.Completed - _before[i].Completed);
            _before[i] = (backend.Arrived, backend.Completed);
            if (now > 0)
            {
                if (now <= _scenario.Seconds)
                {
                    (long arrived, long completed) = _lastSecond[i];
                    Seconds[i].Add(new ClusterSecond(now - 1, arrived, completed, backend.Threads, backend.Point?.PerSecond));
                }
            }
        }
    }

    internal void Look(double now)
    {
        foreach (ClusterBackend backend in _backends)
        {
            Waits[backend.Index].Add((now, backend.AverageWait(now)));
        }
    }

    internal void Answered(ClusterRequest request, double now)
    {
        if (request.SentAt >= _scenario.WarmUp)
        {
            _answers.Add((request.SentAt, now - request.SentAt));
        }
    }

    internal void Unanswered(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _answers.Add((_scenario.Seconds, double.PositiveInfinity));
        }
    }

    internal void Lost(ClusterRequest request) => LostCount += request.SentAt >= _scenario.WarmUp ? 1 : 0;

    internal void Shed(ClusterRequest request)
    {
        if (request.SentAt >= _scenario.WarmUp)
        {
            ShedCount++;
            _answers.Add((request.SentAt, double.PositiveInfinity));
        }
    }
}
