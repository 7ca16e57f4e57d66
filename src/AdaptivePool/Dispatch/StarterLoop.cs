using System.Diagnostics;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>The thread that starts threads: starting one holds its caller 65 us and up to milliseconds, so nobody else does it.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class StarterLoop<TSync>
    where TSync : struct, ISync
{
    private readonly WorkerSet<TSync> _set;
    private readonly ThreadSource<TSync> _threads;
    private readonly Parking _parking;
    private readonly StopSignal<TSync> _stopped = new();
    private readonly ThreadCreationThrottle? _throttle;
    private long _startedAt;
    private int _requested;
    private long _throttles;

    public StarterLoop(WorkerSet<TSync> set, string poolName, ThreadSource<TSync> threads, ThreadCreationThrottle? throttle = null)
    {
        _set = set;
        _threads = threads;
        _parking = threads.CreateStarterParking();
        _throttle = throttle;
        TSync.Start(Run, poolName + " starter", 0);
    }

    /// <summary>Times a start had to wait for the table.</summary>
    public long Throttles => TSync.RelaxedRead(ref _throttles);

    /// <summary>Asks for a look at how many threads are missing. Any thread; cheap while a request is open.</summary>
    public void Request()
    {
        // Pairs with the exchange in Run: a request after that look causes another look.
        if (TSync.RelaxedRead(ref _requested) == 0 && TSync.Exchange(ref _requested, 1) == 0)
        {
            _parking.Unpark();
        }
    }

    /// <summary>Ends the thread.</summary>
    public void Stop()
    {
        _stopped.Set();
        _parking.Unpark();
    }

    private void Run()
    {
        int refusals = 0;
        while (true)
        {
            _parking.Park();
            while (!_stopped.IsSet)
            {
                // Pairs with Request. The flag falls before the look, so that work queued after the look raises it again.
                TSync.Exchange(ref _requested, 0);
                if (_set.MissingThreads() == 0)
                {
                    break;
                }

                if (_throttle?.WaitFor(_set.Existing, Stopwatch.GetElapsedTime(_startedAt, TSync.Timestamp())) is { } pause && pause > TimeSpan.Zero)
                {
                    TSync.RelaxedWrite(ref _throttles, TSync.RelaxedRead(ref _throttles) + 1);

                    // Then looks again: what was missing may be done by others meanwhile.
                    _stopped.Wait(pause);
                    continue;
                }

                _startedAt = TSync.Timestamp();

                // The sizing thread looks at the memory while threads are added.
                _set.OnHeldUp();
                if (_set.TryStartWorker())
                {
                    refusals = 0;
                }
                else
                {
                    // The system refuses threads: those that live go on; ask again later, ever less often.
                    refusals++;
                    _threads.WaitToRetry(BackOffRule.Wait(refusals), _stopped);
                }
            }

            if (_stopped.IsSet)
            {
                return;
            }
        }
    }
}
