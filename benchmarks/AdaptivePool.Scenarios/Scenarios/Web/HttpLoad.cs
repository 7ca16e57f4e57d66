using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>Drives an endpoint over several connections, each with one request outstanding.</summary>
public sealed class HttpLoad(Uri url, int connections)
{
    private readonly LatencyHistogram _latency = new();
    private long _answered;
    private long _failed;
    private volatile bool _counts;

    /// <summary>Answers with status 200 while counting.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    /// <summary>Other answers and broken connections while counting.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>Latency of the counted answers.</summary>
    public LatencyHistogram Latency => _latency;

    /// <summary>Drives: first uncounted, then counted. Returns the counted seconds.</summary>
    public async Task<double> RunAsync(TimeSpan warmUp, TimeSpan duration, CancellationToken cancellationToken)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task[] clients = [.. Enumerable.Range(0, connections).Select(_ => DriveAsync(stop.Token))];
        await Task.Delay(warmUp, cancellationToken);
        long start = Stopwatch.GetTimestamp();
        _counts = true;
        await Task.Delay(duration, cancellationToken);
        _counts = false;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        await stop.CancelAsync();
        await Task.WhenAll(clients);
        return seconds;
    }

    private async Task DriveAsync(CancellationToken cancellationToken)
    {
        try
        {
            using HttpConnection connection = new(url);
            await connection.ConnectAsync(cancellationToken);
            while (!cancellationToken.IsCancellationRequested)
            {
                long start = Stopwatch.GetTimestamp();
                bool good = await connection.RequestAsync(cancellationToken);
                if (_counts)
                {
                    _latency.Add(Stopwatch.GetTimestamp() - start);
                    Interlocked.Increment(ref good ? ref _answered : ref _failed);
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The time is over.
        }
        catch (Exception) when (!cancellationToken.IsCancellationRequested)
        {
            Interlocked.Increment(ref _failed);
        }
    }
}
