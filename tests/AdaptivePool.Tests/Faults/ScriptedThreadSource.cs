using System.Collections.Concurrent;
using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Faults;

/// <summary>A system that refuses threads by number. Waits before a new attempt last until the test lets them end, so that attempts are counted and not
/// timed.</summary>
internal sealed class ScriptedThreadSource(Func<int, bool> refuses) : ThreadSource, IDisposable
{
    private readonly SemaphoreSlim _mayRetry = new(0);
    private readonly ConcurrentQueue<TimeSpan> _waits = new();
    private int _attempts;
    private volatile bool _recovered;

    public int Attempts => Volatile.Read(ref _attempts);

    /// <summary>The waits asked for so far, the one that lasts included.</summary>
    public IReadOnlyList<TimeSpan> Waits => [.. _waits];

    /// <summary>Lets so many waits end.</summary>
    public void Retry(int count) => _mayRetry.Release(count);

    /// <summary>From now on threads are given.</summary>
    public void Recover()
    {
        _recovered = true;
        Retry(1);
    }

    public override bool TryStart(Action body, string name, int stackSize, out Exception? failure)
    {
        if (refuses(Interlocked.Increment(ref _attempts)) && !_recovered)
        {
            failure = new OutOfMemoryException("injected");
            return false;
        }

        return base.TryStart(body, name, stackSize, out failure);
    }

    public override void WaitToRetry(TimeSpan wait, Doze<RealSync> starter)
    {
        _waits.Enqueue(wait);
        while (!_mayRetry.Wait(TimeSpan.FromMilliseconds(5)) && !starter.IsEnding)
        {
            // Until one of the two.
        }
    }

    public void Dispose() => _mayRetry.Dispose();
}
