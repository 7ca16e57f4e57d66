namespace AdaptivePool.Sample.Bank.Show;

/// <summary>
/// Requests of the last seconds, with or without an answer. One that still waits counts with the time it has waited: otherwise a server that answers nothing
/// would look as good as one without requests.
/// </summary>
internal sealed class LatencyWindow(TimeSpan length)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<long, TimeSpan> _waiting = [];
    private readonly Queue<(TimeSpan At, TimeSpan Latency)> _answered = [];
    private long _next;

    /// <summary>Requests without an answer.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>A request was sent; the result names it.</summary>
    public long Sent(TimeSpan now)
    {
        lock (_lock)
        {
            _waiting.Add(++_next, now);
            return _next;
        }
    }

    /// <summary>Its answer is there.</summary>
    public void Answered(long request, TimeSpan now)
    {
        lock (_lock)
        {
            if (_waiting.Remove(request, out TimeSpan sent))
            {
                _answered.Enqueue((now, now - sent));
            }
        }
    }

    /// <summary>Its connection broke: it will have no answer.</summary>
    public void Lost(long request)
    {
        lock (_lock)
        {
            _waiting.Remove(request);
        }
    }

    public LatencyReport Read(TimeSpan now)
    {
        lock (_lock)
        {
            while (_answered.TryPeek(out (TimeSpan At, TimeSpan Latency) oldest) && now - oldest.At > length)
            {
                _answered.Dequeue();
            }

            double[] sorted = [.. _answered.Select(a => a.Latency.TotalMilliseconds).Concat(_waiting.Values.Select(sent => (now - sent).TotalMilliseconds))
                .Order()];
            return sorted.Length == 0
                ? new LatencyReport(0, 0, null, null, null)
                : new LatencyReport(sorted.Length, _waiting.Count, Rank(sorted, 0.5), Rank(sorted, 0.99), sorted[^1]);
        }
    }

    // Nearest rank: a value that was really seen.
    private static double Rank(double[] sorted, double share) => sorted[Math.Max(0, (int)Math.Ceiling(share * sorted.Length) - 1)];
}
