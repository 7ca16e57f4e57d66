using AdaptivePool.Stacks;

namespace AdaptivePool.Runtime;

/// <summary>
/// The thread that measures how long work waits in the runtime's pool: now and then it reads that pool's counters and, while other code uses that pool, queues
/// an item there and looks when it ran. Sleeps without a timeout while neither that pool nor a pool of this library is used. Holds no formula.
/// </summary>
internal sealed class RuntimePoolProbe
{
    private readonly TimeSpan _period;
    private readonly RuntimePoolRule _rule = new();
    private readonly Func<string, bool> _tell;
    private readonly Doze<RealSync> _doze;
    private ProbeItem? _item;
    private double _delay;
    private bool _isUsed = true;
    private bool _isTold;
    private string? _report;

    /// <param name="period">Time between two looks.</param>
    /// <param name="tell">Called once with what is wrong; <see langword="false"/> when there was no listener.</param>
    public RuntimePoolProbe(TimeSpan period, Func<string, bool> tell)
    {
        _period = period;
        _tell = tell;
        _doze = new Doze<RealSync>(() => Volatile.Read(ref _isUsed));
    }

    /// <summary>Starts the thread. Called once.</summary>
    /// <param name="start">Starts a thread that runs something, under a name; throws where the system refuses it.</param>
    public void Start(Action<Action, string> start)
    {
        // The runtime creates some objects once. They are created here, where there is memory: if that fails, it is never tried again.
        _ = RuntimePoolView.Completed + RuntimePoolView.Pending;
        start(Run, "AdaptivePool runtime pool probe");
    }

    /// <summary>How long work waits there, in seconds, as last seen.</summary>
    public double Delay => Volatile.Read(ref _delay);

    /// <summary>Whether the thread sleeps without a timeout. A hint.</summary>
    public bool IsAsleep => _doze.IsAsleep;

    /// <summary>Called when a pool is used. Any thread; only two reads when the thread is awake.</summary>
    public void WakeUp()
    {
        if (!Volatile.Read(ref _isUsed))
        {
            Volatile.Write(ref _isUsed, true);
        }

        _doze.WakeUp();
    }

    /// <summary>Has the thread report what is now seen of a starved pool, unless something was reported before. Any thread.</summary>
    /// <param name="delaySeconds">How long work has waited there.</param>
    public void Report(double delaySeconds)
    {
        if (!Volatile.Read(ref _isTold) && Volatile.Read(ref _report) is null)
        {
            // Releases the text: pairs with the read in Look. Listeners are not called here, because they may hold up the caller, which lends threads.
            Volatile.Write(ref _report, Describe(delaySeconds));
            WakeUp();
        }
    }

    /// <summary>Ends the thread.</summary>
    public void Stop() => _doze.End();

    private void Run()
    {
        long lastAt = Stopwatch.GetTimestamp();
        while (!_doze.IsEnding)
        {
            long now = lastAt;
            try
            {
                if (_item is null && _rule.WantsProbe)
                {
                    var item = new ProbeItem();
                    RuntimePoolView.Queue(item, preferLocal: false);
                    _item = item;
                }

                _doze.Pause(_period);
                now = Stopwatch.GetTimestamp();
                Look(RuntimePoolRule.Counted(Stopwatch.GetElapsedTime(lastAt, now), _period));
            }
            catch (Exception exception) when (exception is OutOfMemoryException or TypeInitializationException)
            {
                // The heap is full for a moment: the next look sees what this one did not.
                _doze.Pause(_period);
            }

            lastAt = now;
            if (_rule.IsQuiet)
            {
                _doze.Sleep();
                lastAt = Stopwatch.GetTimestamp();
            }
        }
    }

    private void Look(double elapsed)
    {
        double? answered = _item?.Answered;
        if (Volatile.Read(ref _isUsed))
        {
            Volatile.Write(ref _isUsed, false);
            _rule.WakeUp();
        }

        _rule.Observe(elapsed, answered, RuntimePoolView.Completed, RuntimePoolView.Pending, hasProbe: _item is not null);
        _item = answered is null ? _item : null;
        Volatile.Write(ref _delay, _rule.Delay);
        if (!_isTold && (Volatile.Read(ref _report) ?? (_rule.IsStarved ? Describe(_rule.Delay) : null)) is { } message)
        {
            Volatile.Write(ref _isTold, _tell(message));
        }
    }

    private static string Describe(double delaySeconds)
    {
        (int threads, int asleep) = RuntimePoolView.Threads();
        return RuntimePoolRule.Message(delaySeconds, threads, asleep, RuntimePoolView.WaitingMethod(WaitStack.Program));
    }

    private sealed class ProbeItem : IThreadPoolWorkItem
    {
        private readonly long _queuedAt = Stopwatch.GetTimestamp();
        private long _ranAt;

        /// <summary>How long it waited, in seconds; <see langword="null"/> while it waits.</summary>
        public double? Answered => Volatile.Read(ref _ranAt) is not 0 and var at ? Stopwatch.GetElapsedTime(_queuedAt, at).TotalSeconds : null;

        public void Execute() => Volatile.Write(ref _ranAt, Stopwatch.GetTimestamp());
    }
}
