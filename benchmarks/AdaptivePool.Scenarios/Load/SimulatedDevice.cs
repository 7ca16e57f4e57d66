using System.Diagnostics;

namespace AdaptivePool.Scenarios.Load;

/// <summary>A device that does one operation after the other, at a steady rate: more callers only wait for longer.</summary>
/// <param name="perSecond">Operations in a second.</param>
public sealed class SimulatedDevice(double perSecond)
{
    private readonly long _operation = (long)(Stopwatch.Frequency / perSecond);
    private readonly Lock _lock = new();
    private long _freeAt;

    /// <summary>Does an operation: the calling thread sleeps until it is done, and nobody is told that it waits.</summary>
    public void Operate()
    {
        long doneAt = Reserve(Stopwatch.GetTimestamp());
        while (Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), doneAt) is var left && left > TimeSpan.Zero)
        {
            // Up, or the last part of a millisecond would be spun away.
            Thread.Sleep((int)Math.Ceiling(left.TotalMilliseconds));
        }
    }

    /// <summary>Queues an operation.</summary>
    /// <param name="now">The moment, in stopwatch ticks.</param>
    /// <returns>When it will be done.</returns>
    private long Reserve(long now)
    {
        lock (_lock)
        {
            _freeAt = Math.Max(now, _freeAt) + _operation;
            return _freeAt;
        }
    }
}
