namespace AdaptivePool.Runtime;

/// <summary>The pools that observe the runtime's pool, of which a process has one. They share a probe, which lives as long as one of them.</summary>
/// <param name="period">Time between two looks; <see langword="null"/> for half a second.</param>
internal sealed class RuntimePoolWatch(TimeSpan? period = null)
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(0.5);

    private readonly Lock _lock = new();
    private readonly List<Func<string, bool>> _listeners = [];
    private RuntimePoolProbe? _probe;
    private bool _isTold;

    /// <summary>The watch of this process.</summary>
    public static RuntimePoolWatch Process { get; } = new();

    /// <summary>How long work waits in the runtime's pool, as last seen; zero while there is no probe.</summary>
    public TimeSpan Delay => TimeSpan.FromSeconds(Volatile.Read(ref _probe)?.Delay ?? 0);

    /// <summary>Whether there is a probe, and it sleeps without a timeout. A hint.</summary>
    public bool IsAsleep => Volatile.Read(ref _probe)?.IsAsleep ?? false;

    /// <summary>Called when a pool of this library is used. Any thread.</summary>
    public void WakeUp() => Volatile.Read(ref _probe)?.WakeUp();

    /// <summary>
    /// Called when work would wait there if no threads were lent: the probe's thread reports what is seen now, if nothing was reported before. Any thread.
    /// </summary>
    /// <param name="delaySeconds">How long it has waited.</param>
    public void Report(double delaySeconds) => Volatile.Read(ref _probe)?.Report(delaySeconds);

    /// <param name="listener">Called with what is wrong, on the probe's thread, unless another listener was; <see langword="false"/> when it has no listener
    /// either.</param>
    /// <param name="start">Starts the probe's thread, where there is none yet. If it throws, nothing has changed.</param>
    public void Join(Func<string, bool> listener, Action<Action, string> start)
    {
        lock (_lock)
        {
            if (_probe is null)
            {
                var probe = new RuntimePoolProbe(period ?? s_period, Tell);
                probe.Start(start);
                _probe = probe;
            }

            _listeners.Add(listener);
        }
    }

    /// <summary>Removes a listener. Changes nothing for one that never joined.</summary>
    public void Leave(Func<string, bool> listener)
    {
        lock (_lock)
        {
            if (_listeners.Remove(listener) && _listeners.Count == 0)
            {
                _probe?.Stop();
                _probe = null;
            }
        }
    }

    private bool Tell(string message)
    {
        Func<string, bool>[] listeners;
        lock (_lock)
        {
            listeners = [.. _listeners];
        }

        // Once in the process: pools that have ended meanwhile, and their probe, may have reported.
        Volatile.Write(ref _isTold, Volatile.Read(ref _isTold) || Array.Exists(listeners, listener => listener(message)));
        return Volatile.Read(ref _isTold);
    }
}
