using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>Drives an endpoint over several connections, each with one request outstanding.</summary>
public sealed class HttpLoad(Uri url, int connections)
{
    private readonly LatencyHistogram _latency = new();
    private long _answered;
    private long _failed;
    private long _tooMany;
    private long _unavailable;
    private volatile bool _counts;

    /// <summary>Answers with status 200 while counting.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    /// <summary>Answers with status 429 while counting: too many waited already.</summary>
    public long TooMany => Interlocked.Read(ref _tooMany);

    /// <summary>Answers with status 503 while counting: the wait was too long, or the server could not.</summary>
    public long Unavailable => Interlocked.Read(ref _unavailable);

    /// <summary>Other answers and broken connections while counting.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>Latency of the counted answers.</summary>
    public LatencyHistogram Latency => _latency;

    /// <summary>Drives: first uncounted, then counted. Returns the counted seconds.</summary>
    /// <param name="warmUp">How long nothing counts.</param>
    /// <param name="duration">How long it counts.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <param name="onCount">Called when it begins to count, and when it ends.</param>
    public async Task<double> RunAsync(TimeSpan warmUp, TimeSpan duration, CancellationToken cancellationToken, Action? onCount = null)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task[] clients = [.. Enumerable.Range(0, connections).Select(_ => DriveAsync(stop.Token))];
        await Task.Delay(warmUp, cancellationToken);
        onCount?.Invoke();
        long start = Stopwatch.GetTimestamp();
        _counts = true;
        await Task.Delay(duration, cancellationToken);
        _counts = false;
        onCount?.Invoke();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        await stop.CancelAsync();
        await Task.WhenAll(clients);
        return seconds;
    }

    private void Count(int status, long ticks)
    {
        switch (status)
        {
            case 200:
                Interlocked.Increment(ref _answered);
                _latency.Add(ticks);
                break;
            case 429:
                Interlocked.Increment(ref _tooMany);
                break;
            case 503:
                Interlocked.Increment(ref _unavailable);
                break;
            default:
                Interlocked.Increment(ref _failed);
                break;
        }
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
                int status = await connection.RequestAsync(cancellationToken);
                if (_counts)
                {
                    Count(status, Stopwatch.GetTimestamp() - start);
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
