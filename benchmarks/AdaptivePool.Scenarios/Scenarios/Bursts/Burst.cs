using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>Requests that come all at once.</summary>
/// <param name="work">What they are.</param>
/// <param name="count">How many.</param>
public sealed class Burst(BurstWork work, int count)
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(5);
    private readonly LatencyHistogram _answers = new();
    private readonly CountdownEvent _left = new(count);
    private long _start;
    private long _lastEnd;

    /// <summary>Time from the first request to the end of the last that has ended.</summary>
    public TimeSpan Duration => Stopwatch.GetElapsedTime(_start, Volatile.Read(ref _lastEnd));

    /// <summary>A quantile of the time from the first request to the end of each, in milliseconds.</summary>
    public double Milliseconds(double quantile) => _answers.Milliseconds(quantile);

    /// <summary>Sends the requests.</summary>
    public void Send()
    {
        _start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            work.Target.Queue(new Item(this));
        }
    }

    /// <summary>Waits for the end of all.</summary>
    /// <param name="limit">How long.</param>
    /// <param name="look">Called all the time.</param>
    /// <returns>Whether all have ended.</returns>
    public bool Wait(TimeSpan limit, Action look)
    {
        while (!_left.Wait(s_look))
        {
            look();
            if (Stopwatch.GetElapsedTime(_start) > limit)
            {
                return false;
            }
        }

        return true;
    }

    private sealed class Item(Burst burst) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            burst.Work();
            long now = Stopwatch.GetTimestamp();
            burst._answers.Add(now - burst._start);
            Interlocked.Exchange(ref burst._lastEnd, now);
            burst._left.Signal();
        }
    }

    private void Work() => work.Work();
}
