using System.Diagnostics;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>The thread that starts threads: starting one holds its caller 65 us and up to milliseconds, so nobody else does it.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class StarterLoop<TSync>
    where TSync : struct, ISync
{
    // How long until a thread is asked for again after the system refused one: memory and process slots come back in seconds, not in microseconds.
    private static readonly TimeSpan s_firstRetry = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(1);

    private readonly WorkerSet<TSync> _set;
    private readonly ThreadSource<TSync> _threads;
    private readonly Doze<TSync> _doze;
    private readonly ThreadCreationThrottle? _throttle;
    private readonly string _name;
    private long _startedAt;
    private long _throttles;

    public StarterLoop(WorkerSet<TSync> set, string poolName, ThreadSource<TSync> threads, ThreadCreationThrottle? throttle = null)
    {
        _set = set;
        _threads = threads;
        _doze = new Doze<TSync>(() => set.MissingThreads() > 0, isAsleep: true);
        _throttle = throttle;
        _name = poolName + " starter";
    }

    /// <summary>Times a start had to wait for the table.</summary>
    public long Throttles => TSync.RelaxedRead(ref _throttles);

    /// <summary>Starts the thread. Once.</summary>
    /// <param name="threads">Where it comes from. Not where workers come from: it keeps its rank where theirs is low.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Start(ThreadSource<TSync> threads) => threads.Start(Run, _name);

    /// <summary>Asks for a look at how many threads are missing. Any thread; a read while the thread is awake.</summary>
    public void Request() => _doze.WakeUp();

    /// <summary>Ends the thread.</summary>
    public void Stop() => _doze.End();

    private void Run()
    {
        // A pool that is not used has no threads.
        _doze.Pause(Timeout.InfiniteTimeSpan);
        TimeSpan retry = s_firstRetry;
        while (!_doze.IsEnding)
        {
            if (_set.MissingThreads() == 0)
            {
                _doze.Sleep();
                continue;
            }

            if (_throttle?.WaitFor(_set.Existing, Stopwatch.GetElapsedTime(_startedAt, TSync.Timestamp())) is { } pause && pause > TimeSpan.Zero)
            {
                TSync.RelaxedWrite(ref _throttles, TSync.RelaxedRead(ref _throttles) + 1);

                // Then looks again: what was missing may be done by others meanwhile.
                _doze.Pause(pause);
                continue;
            }

            _startedAt = TSync.Timestamp();

            // The sizing thread looks at the memory while threads are added.
            _set.OnHeldUp();
            if (_set.TryStartWorker())
            {
                retry = s_firstRetry;
            }
            else
            {
                // The system refuses threads: those that live go on; ask again later, ever less often.
                _threads.WaitToRetry(retry, _doze);
                retry = 2 * retry < s_longestRetry ? 2 * retry : s_longestRetry;
            }
        }
    }
}
