using System.Collections.Concurrent;
using System.Diagnostics;

namespace AdaptivePool.Sample.Cluster;

/// <summary>Sends requests at a rate, however fast they are answered. Times count from the moment at which a request should have been sent.</summary>
internal sealed class OpenLoop(string url, int rate)
{
    private readonly ConcurrentBag<double> _milliseconds = [];
    private int _refused;
    private int _failed;

    public int Refused => _refused;

    public int Failed => _failed;

    public async Task RunAsync(TimeSpan time, int seed)
    {
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false, MaxConnectionsPerServer = 4096 }) { Timeout = TimeSpan.FromSeconds(60) };
        Random random = new(seed);
        List<Task> open = [];
        Stopwatch watch = Stopwatch.StartNew();
        double due = 0;
        while (due < time.TotalSeconds)
        {
            due += -Math.Log(1 - random.NextDouble()) / rate;
            double ahead = due - watch.Elapsed.TotalSeconds;
            if (ahead > 0.001)
            {
                await Task.Delay(TimeSpan.FromSeconds(ahead));
            }

            open.Add(SendAsync(client, watch, due));
        }

        await Task.WhenAll(open);
    }

    /// <summary>The time in milliseconds that a share of the answers stays under.</summary>
    public double Percentile(double share)
    {
        double[] sorted = [.. _milliseconds.Order()];
        return sorted.Length == 0 ? double.NaN : sorted[Math.Min(sorted.Length - 1, (int)Math.Ceiling(share * sorted.Length) - 1)];
    }

    private async Task SendAsync(HttpClient client, Stopwatch watch, double due)
    {
        try
        {
            using HttpResponseMessage response = await client.PostAsync(url + "/transfer", content: null);
            if (response.IsSuccessStatusCode)
            {
                _milliseconds.Add((watch.Elapsed.TotalSeconds - due) * 1000);
            }
            else
            {
                Interlocked.Increment(ref _refused);
            }
        }
        catch (Exception exception) when (exception is HttpRequestException or TaskCanceledException)
        {
            Interlocked.Increment(ref _failed);
        }
    }
}
