using System.Collections.Concurrent;
using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>
/// Asks an endpoint at a fixed rate, however long answers take: a request is due at its time, and waits are counted from there. A probe that waited for each
/// answer would ask rarely just when answers are late.
/// </summary>
public sealed class HttpProbe(Uri url, TimeSpan period) : IDisposable
{
    private static readonly TimeSpan s_late = TimeSpan.FromMilliseconds(500);
    private readonly ConcurrentStack<HttpConnection> _free = new();
    private readonly ConcurrentDictionary<int, long> _outstanding = new();
    private long _failed;
    private double _worst;

    /// <summary>Latencies, those of requests that were never answered included with the time they had waited.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>Other answers than 200, and broken connections.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>Requests without an answer at the end.</summary>
    public int Unanswered { get; private set; }

    /// <summary>The longest time from due to answered among the requests due in the uncounted time, in milliseconds.</summary>
    public double WorstUncountedMilliseconds => Volatile.Read(ref _worst);

    /// <summary>Asks: first uncounted, then counted; then waits half a second for answers. Blocks the caller, whose thread paces.</summary>
    public void Run(TimeSpan uncounted, TimeSpan counted, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        int requests = (int)((uncounted + counted) / period);
        for (int i = 0; i < requests && !cancellationToken.IsCancellationRequested; i++)
        {
            TimeSpan due = period * i;
            TimeSpan early = due - Stopwatch.GetElapsedTime(start);
            if (early > TimeSpan.Zero)
            {
                Thread.Sleep(early);
            }

            // A pause ends up to a millisecond early.
            long dueAt = Math.Min(start + (long)(due.TotalSeconds * Stopwatch.Frequency), Stopwatch.GetTimestamp());
            _ = AskAsync(i, dueAt, due >= uncounted, cancellationToken);
        }

        long asked = Stopwatch.GetTimestamp();
        while (!_outstanding.IsEmpty && Stopwatch.GetElapsedTime(asked) < s_late)
        {
            Thread.Sleep(period);
        }

        Unanswered = _outstanding.Count;
        long end = Stopwatch.GetTimestamp();
        foreach ((int number, long dueAt) in _outstanding)
        {
            Count(end - dueAt, period * number >= uncounted);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        while (_free.TryPop(out HttpConnection? connection))
        {
            connection.Dispose();
        }
    }

    private async Task AskAsync(int number, long dueAt, bool counts, CancellationToken cancellationToken)
    {
        _outstanding[number] = dueAt;
        HttpConnection? connection = null;
        try
        {
            if (!_free.TryPop(out connection))
            {
                connection = new HttpConnection(url);
                await connection.ConnectAsync(cancellationToken);
            }

            bool good = await connection.RequestAsync(cancellationToken) == 200;
            long latency = Stopwatch.GetTimestamp() - dueAt;
            if (_outstanding.TryRemove(number, out _))
            {
                Count(latency, counts);
                Interlocked.Add(ref _failed, good ? 0 : 1);
            }

            _free.Push(connection);
        }
        catch (Exception exception)
        {
            connection?.Dispose();
            if (exception is not OperationCanceledException && _outstanding.TryRemove(number, out _))
            {
                Interlocked.Increment(ref _failed);
            }
        }
    }

    private void Count(long ticks, bool counts)
    {
        if (counts)
        {
            Latency.Add(ticks);
            return;
        }

        double milliseconds = ticks * 1_000.0 / Stopwatch.Frequency;
        double worst = Volatile.Read(ref _worst);
        while (milliseconds > worst)
        {
            // Pairs with itself: the larger of two concurrent values stays.
            double before = Interlocked.CompareExchange(ref _worst, milliseconds, worst);
            if (before.Equals(worst))
            {
                break;
            }

            worst = before;
        }
    }
}
