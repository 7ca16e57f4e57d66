using System.Diagnostics;
using AdaptivePool.Sample.Bank.Compare;
using AdaptivePool.Sample.Bank.Threads;

namespace AdaptivePool.Sample.Bank.Show;

/// <summary>A bank that is asked /hello and /health all the time while a user looks, and that can be put under blocking load. Disposing it disposes its
/// client.</summary>
internal sealed class WatchedBank(string name, LoadClient client, Func<PoolReport?> readPool) : IDisposable
{
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);

    /// <summary>A page asks several times a second; when it is closed the probes stop.</summary>
    private static readonly TimeSpan s_unwatched = TimeSpan.FromSeconds(5);

    /// <summary>How long late answers are waited for.</summary>
    private static readonly TimeSpan s_late = TimeSpan.FromSeconds(5);

    /// <summary>More unanswered requests would say nothing new, and each holds a connection.</summary>
    private const int MostWaiting = 400;

    private readonly long _createdAt = Stopwatch.GetTimestamp();
    private readonly LatencyWindow _hello = new(s_window);
    private readonly LatencyWindow _health = new(s_window);
    private readonly ManualResetEventSlim _wake = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private Thread? _prober;
    private TimeSpan _lookedAt;
    private BoardLoad? _load;
    private TimeSpan _loadEnds;
    private long _partner;
    private long _legacy;

    public string Name => name;

    private TimeSpan Now => Stopwatch.GetElapsedTime(_createdAt);

    public BankView Read()
    {
        lock (_lock)
        {
            _lookedAt = Now;
            if (_prober is null)
            {
                _prober = new Thread(Probe) { IsBackground = true, Name = $"probe of {name}" };
                _prober.Start();
            }

            TimeSpan left = _load is null || _loadEnds < Now ? TimeSpan.Zero : _loadEnds - Now;
            _wake.Set();
            return new BankView(
                name, readPool(), _hello.Read(Now), _health.Read(Now), left > TimeSpan.Zero ? _load!.Partner + _load.Legacy : 0, left.TotalSeconds,
                    Volatile.Read(ref _partner), Volatile.Read(ref _legacy));
        }
    }

    /// <summary>Starts a load; false when one is still running.</summary>
    public bool TryStart(BoardLoad load)
    {
        lock (_lock)
        {
            if (_load is not null)
            {
                return false;
            }

            _load = load;
            _loadEnds = Now + TimeSpan.FromSeconds(load.Seconds);
            _partner = 0;
            _legacy = 0;
        }

        _ = RunLoadAsync(load);
        return true;
    }

    public void Dispose()
    {
        _stop.Cancel();
        _wake.Set();
        _prober?.Join();
        client.Dispose();
        _wake.Dispose();
        _stop.Dispose();
    }

    private async Task RunLoadAsync(BoardLoad load)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        TimeSpan duration = TimeSpan.FromSeconds(load.Seconds);
        end.CancelAfter(duration + s_late);
        try
        {
            await Task.WhenAll(
                client.RunAsync(Load("/partner", load.Partner, () => Interlocked.Increment(ref _partner)), duration, seed: 1, end.Token),
                client.RunAsync(Load("/legacy", load.Legacy, () => Interlocked.Increment(ref _legacy)), duration, seed: 1, end.Token)).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // A starved bank owes answers; its page says so.
        }
        finally
        {
            lock (_lock)
            {
                _load = null;
            }
        }
    }

    private static Workload Load(string path, int connections, Action onAnswer) => new(path, connections, 1, _ => new Call(path, null, (status, _) =>
    {
        onAnswer();
        return status == StatusCodes.Status200OK;
    }));

    private void Probe()
    {
        while (!_stop.IsCancellationRequested)
        {
            bool watched;
            lock (_lock)
            {
                watched = Now - _lookedAt < s_unwatched;
                if (!watched)
                {
                    _wake.Reset();
                }
            }

            if (!watched)
            {
                _wake.Wait();
                continue;
            }

            _ = AskAsync("/hello", _hello);
            _ = AskAsync("/health", _health);
            Thread.Sleep(s_period);
        }
    }

    private async Task AskAsync(string path, LatencyWindow window)
    {
        if (window.Waiting >= MostWaiting)
        {
            return;
        }

        long request = window.Sent(Now);
        try
        {
            await client.SendAsync(new Call(path, null, (_, _) => true), _stop.Token).ConfigureAwait(false);
            window.Answered(request, Now);
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException or ObjectDisposedException)
        {
            window.Lost(request);
        }
    }
}
