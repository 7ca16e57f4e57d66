using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Items that sleep, queued together, and a probe queued last.</summary>
public sealed class BlockerBatch(int count, int milliseconds)
{
    private static readonly TimeSpan s_untilAllWait = TimeSpan.FromMilliseconds(100);
    private readonly CountdownEvent _remaining = new(count + 1);
    private long _lastEnd;
    private long _probeQueued;
    private long _probeStarted;

    /// <summary>Time from queueing the probe to its start; null while it has not started.</summary>
    public TimeSpan? ProbeStartedAfter =>
        Volatile.Read(ref _probeStarted) is var started and not 0 ? Stopwatch.GetElapsedTime(_probeQueued, started) : null;

    /// <summary>Queues everything, then the probe.</summary>
    /// <returns>When it began, in stopwatch ticks.</returns>
    public long QueueAll(ComparedPool pool)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            pool.Queue(new Sleeper(this, milliseconds), preferLocal: false);
        }

        QueueProbe(pool);
        return start;
    }

    /// <summary>Lets as many asynchronous functions wait for one result, gives it, then queues the probe: what sleeps then is work in flight, which is nobody's
    /// item.</summary>
    /// <returns>When the result was given, in stopwatch ticks.</returns>
    public long ContinueAll(ComparedPool pool)
    {
        TaskCompletionSource result = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CountdownEvent waiting = new(count);
        for (int i = 0; i < count; i++)
        {
            _ = pool.Run(ContinueAsync);
        }

        waiting.Wait();

        // The last of them have said so a moment before they wait.
        Thread.Sleep(s_untilAllWait);
        long start = Stopwatch.GetTimestamp();
        result.SetResult();
        QueueProbe(pool);
        return start;

        async Task ContinueAsync()
        {
            waiting.Signal();
            await result.Task;
            Thread.Sleep(milliseconds);
            OnEnded();
        }
    }

    /// <summary>Waits for all items and the probe.</summary>
    public bool Wait(TimeSpan limit) => _remaining.Wait(limit);

    /// <summary>Time from a start to the end of the last item.</summary>
    public TimeSpan EndedAfter(long start) => Stopwatch.GetElapsedTime(start, Volatile.Read(ref _lastEnd));

    private void QueueProbe(ComparedPool pool)
    {
        _probeQueued = Stopwatch.GetTimestamp();
        pool.Queue(new Probe(this), preferLocal: false);
    }

    private void OnEnded()
    {
        Volatile.Write(ref _lastEnd, Stopwatch.GetTimestamp());
        _remaining.Signal();
    }

    private sealed class Sleeper(BlockerBatch batch, int milliseconds) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            Thread.Sleep(milliseconds);
            batch.OnEnded();
        }
    }

    private sealed class Probe(BlockerBatch batch) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            Volatile.Write(ref batch._probeStarted, Stopwatch.GetTimestamp());
            batch.OnEnded();
        }
    }
}
