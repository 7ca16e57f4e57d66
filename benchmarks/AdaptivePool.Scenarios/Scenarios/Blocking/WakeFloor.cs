using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>How long a parked thread takes to run after a bare wake whose caller then blocks: what no wait hook can beat on this machine.</summary>
public sealed class WakeFloor
{
    private readonly FutexGate _parked = new();
    private readonly FutexGate _back = new();
    private readonly FutexGate _go = new();
    private readonly FutexGate _done = new();
    private long _wokenAt;

    /// <summary>Starts the thread that wakes and the one that is woken; they end with the process.</summary>
    public WakeFloor()
    {
        new Thread(Wake) { IsBackground = true, Name = "floor waker" }.UnsafeStart();
        new Thread(BeWoken) { IsBackground = true, Name = "floor sleeper" }.UnsafeStart();
    }

    /// <summary>From just before the wake to the first moment of the woken.</summary>
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
            Volatile.Write(ref _wokenAt, Stopwatch.GetTimestamp());
            _parked.Open();
            _back.Wait();
            _done.Open();
        }
    }

    private void BeWoken()
    {
        while (true)
        {
            _parked.Wait();
            Latency.Add(Stopwatch.GetTimestamp() - Volatile.Read(ref _wokenAt));
            _back.Open();
        }
    }
}
