using System.Diagnostics;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>
/// Two sides that hand a permit to each other, so that on one core every wait blocks. Kernel semaphores: a slim one spins first and would measure its spinning.
/// </summary>
public sealed class PingPong(int turns) : IDisposable
{
    private readonly Semaphore _ping = new(0, 1);
    private readonly Semaphore _pong = new(0, 1);
    private readonly ManualResetEventSlim _ended = new();

    /// <summary>Time per wait in nanoseconds, the switch to the other side included.</summary>
    public double Nanoseconds { get; private set; }

    /// <summary>Bytes allocated per wait.</summary>
    public double Bytes { get; private set; }

    /// <summary>The measuring side.</summary>
    public void First()
    {
        // The other side may still be on its way to a thread.
        _pong.WaitOne();
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < turns; i++)
        {
            _ping.Release();
            _pong.WaitOne();
        }

        Nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds / (2.0 * turns);
        Bytes = (double)(GC.GetAllocatedBytesForCurrentThread() - allocated) / turns;
        _ended.Set();
    }

    /// <summary>The other side.</summary>
    public void Second()
    {
        _pong.Release();
        for (int i = 0; i < turns; i++)
        {
            _ping.WaitOne();
            _pong.Release();
        }
    }

    /// <summary>Waits for the end.</summary>
    public void Wait(TimeSpan limit)
    {
        if (!_ended.Wait(limit))
        {
            throw new TimeoutException($"Two sides did not end their exchange within {limit.TotalSeconds:0} s.");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _ping.Dispose();
        _pong.Dispose();
        _ended.Dispose();
    }
}
