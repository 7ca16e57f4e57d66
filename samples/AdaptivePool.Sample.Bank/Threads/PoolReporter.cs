using System.Text.Json;

namespace AdaptivePool.Sample.Bank.Threads;

/// <summary>
/// Writes a line about the pool to standard output four times a second, if it was asked to, on a thread of its own: an app whose pool is starved answers no
/// request, and just then its parent wants to know.
/// </summary>
internal sealed class PoolReporter(BankOptions options, IServiceProvider services) : IHostedService, IDisposable
{
    public const string Prefix = "@pool ";

    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(250);

    private readonly ManualResetEventSlim _stop = new();
    private Thread? _thread;

    public static PoolReport? Read(string line)
        => line.StartsWith(Prefix, StringComparison.Ordinal) ? JsonSerializer.Deserialize<PoolReport>(line.AsSpan(Prefix.Length)) : null;

    public static string Write(PoolReport report) => Prefix + JsonSerializer.Serialize(report);

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (options.ReportPool)
        {
            _thread = new Thread(Report) { IsBackground = true, Name = "pool reporter" };
            _thread.Start();
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        _stop.Set();
        return Task.CompletedTask;
    }

    public void Dispose()
    {
        _stop.Set();
        _thread?.Join();
        _stop.Dispose();
    }

    private void Report()
    {
        AdaptiveThreadPool? pool = services.GetService<AdaptiveThreadPool>();
        while (!_stop.Wait(s_period))
        {
            Console.Out.WriteLine(Write(PoolReport.Take(pool)));
        }
    }
}
