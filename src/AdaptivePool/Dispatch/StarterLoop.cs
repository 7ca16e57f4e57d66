namespace AdaptivePool.Dispatch;

/// <summary>The thread that starts threads: starting one holds its caller 65 us and up to milliseconds, so no other thread does it.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="set">The workers whose threads are started.</param>
/// <param name="poolName">Name of the pool, for the thread.</param>
/// <param name="threads">Where workers come from.</param>
/// <param name="throttle">How often a thread may be started; <see langword="null"/> for as often as one is missing.</param>
internal sealed class StarterLoop<TSync>(WorkerSet<TSync> set, string poolName, ThreadSource<TSync> threads, ThreadCreationThrottle? throttle = null)
    where TSync : struct, ISync
{
    // How long until the starter asks for a thread again after the system refused one: memory and process slots come back in seconds, not in microseconds.
    private static readonly TimeSpan s_firstRetry = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(1);

    // Threads that end while a start waits for the table are noticed this soon: fewer threads may wait for less time, and no thread reports its end here.
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMilliseconds(10);

    private readonly Doze<TSync> _doze = new(() => set.MissingThreads() > 0, isAsleep: true);
    private long _startedAt;
    private long _throttles;

    /// <summary>Times a start had to wait for the table.</summary>
    public long Throttles => TSync.RelaxedRead(ref _throttles);

    /// <summary>Starts the thread. Called once.</summary>
    /// <param name="own">Where the thread comes from. Not where workers come from: it keeps its rank where theirs is low.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Start(ThreadSource<TSync> own) => own.Start(Run, poolName + " starter");

    /// <summary>Asks for a look at how many threads are missing. Any thread; a read while the thread is awake.</summary>
    public void Request() => _doze.WakeUp();

    /// <summary>Ends the thread.</summary>
    public void Stop() => _doze.End();

    private void Run()
    {
        // A pool that is not used has no threads.
        _doze.Pause(Timeout.InfiniteTimeSpan);
        TimeSpan retry = s_firstRetry;
        bool waits = false;
        while (!_doze.IsEnding)
        {
            if (set.MissingThreads() == 0)
            {
                waits = false;
                _doze.Sleep();
                continue;
            }

            if (throttle?.WaitFor(set.Existing, Stopwatch.GetElapsedTime(_startedAt, TSync.Timestamp())) is { } pause && pause > TimeSpan.Zero)
            {
                if (!waits)
                {
                    waits = true;
                    TSync.RelaxedWrite(ref _throttles, TSync.RelaxedRead(ref _throttles) + 1);
                }

                // Then looks again: other threads may have done meanwhile what was missing.
                _doze.Pause(pause < s_longestPause ? pause : s_longestPause);
                continue;
            }

            waits = false;
            _startedAt = TSync.Timestamp();

            // The sizing thread looks at the memory while threads are added.
            set.OnHeldUp();
            if (set.TryStartWorker())
            {
                retry = s_firstRetry;
            }
            else
            {
                // The system refuses threads. Those that live go on; the starter asks again later, less and less often.
                threads.WaitToRetry(retry, _doze);
                retry = 2 * retry < s_longestRetry ? 2 * retry : s_longestRetry;
            }
        }
    }
}
