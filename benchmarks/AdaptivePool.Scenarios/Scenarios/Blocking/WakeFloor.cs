using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>
/// How long a parked thread takes to run after a bare wake whose caller then blocks: what no wait hook can beat on this machine. A pool that wakes a thread
/// when the item is queued, before the wait begins, is to be compared with the time from just after the wake.
/// </summary>
public sealed class WakeFloor
{
    private readonly FutexGate _parked = new();
    private readonly FutexGate _back = new();
    private readonly FutexGate _go = new();
    private readonly FutexGate _done = new();
    private long _wokenAt;

    private readonly bool _fromAfter;

    /// <summary>Starts the thread that wakes and the one that is woken; they end with the process.</summary>
    /// <param name="fromAfter">Whether it is measured from just after the wake: a thread that runs before that counts as zero.</param>
    public WakeFloor(bool fromAfter)
    {
        _fromAfter = fromAfter;
        new Thread(Wake) { IsBackground = true, Name = "floor waker" }.UnsafeStart();
        new Thread(BeWoken) { IsBackground = true, Name = "floor sleeper" }.UnsafeStart();
    }

    /// <summary>From the wake to the first moment of the woken.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>Measures once. The caller sleeps meanwhile, as the one who queues work for a pool does.</summary>
    public void Step()
    {
        _go.Open();
        _done.Wait();
    }

    private void Wake()
    {
        while (true)
        {
            _go.Wait();
            Volatile.Write(ref _wokenAt, _fromAfter ? 0 : Stopwatch.GetTimestamp());
            _parked.Open();
            if (_fromAfter)
            {
                Volatile.Write(ref _wokenAt, Stopwatch.GetTimestamp());
            }

            _back.Wait();
            _done.Open();
        }
    }

    private void BeWoken()
    {
        while (true)
        {
            _parked.Wait();
            long wokenAt = Volatile.Read(ref _wokenAt);
            Latency.Add(wokenAt == 0 ? 0 : Stopwatch.GetTimestamp() - wokenAt);
            _back.Open();
        }
    }
}
