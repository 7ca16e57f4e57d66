using System.Diagnostics;

namespace AdaptivePool.Workers;

/// <summary>The thread that starts threads: starting one holds its caller 65 us and up to milliseconds, so nobody else does it.</summary>
internal sealed class StarterLoop
{
    private const int FirstBackOffMilliseconds = 10;
    private const int LongestBackOffMilliseconds = 1_000;
    private readonly WorkerSet _set;
    private readonly Parking _parking = Parking.Create();
    private readonly ManualResetEventSlim _stopped = new(initialState: false, spinCount: 0);
    private int _requested;

    public StarterLoop(WorkerSet set, string poolName)
    {
        _set = set;
        new Thread(Run) { IsBackground = true, Name = poolName + " starter" }.UnsafeStart();
    }

    /// <summary>Asks for a look at how many threads are missing. Any thread; cheap while a request is open.</summary>
    public void Request()
    {
        // Pairs with the exchange in Run: a request after that look causes another look.
        if (Volatile.Read(ref _requested) == 0 && Interlocked.Exchange(ref _requested, 1) == 0)
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
        int backOff = FirstBackOffMilliseconds;
        while (true)
        {
            _parking.Park();
            while (!_stopped.IsSet)
            {
                // Pairs with Request. The flag falls before the look, so that work queued after the look raises it again.
                Interlocked.Exchange(ref _requested, 0);
                if (_set.MissingThreads() == 0)
                {
                    break;
                }

                if (_set.TryStartWorker())
                {
                    backOff = FirstBackOffMilliseconds;
                }
                else
                {
                    // The system refuses threads: those that live go on; ask again later, ever less often.
                    Debug.Assert(backOff > 0, "The wait grows from a positive value.");
                    _stopped.Wait(backOff);
                    backOff = Math.Min(backOff * 2, LongestBackOffMilliseconds);
                }
            }

            if (_stopped.IsSet)
            {
                return;
            }
        }
    }
}
