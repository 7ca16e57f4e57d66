using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>What a controller is told of a class: sums, means and peaks over the looks since the window was opened.</summary>
/// <param name="countsWaits">Whether the waits of the queue are told, too; they cost a look at each tick.</param>
internal sealed class SampleWindow(bool countsWaits = true)
{
    private readonly QueueWait? _wait = countsWaits ? new() : null;
    private TimeSpan? _openedAt;
    private TimeSpan _lastAt;
    private GenerationStatistics _generationAtOpen;
    private long _completedAtOpen;
    private int _queuedAtOpen;
    private int _lastConnections;
    private double _connectionSeconds;
    private double _activeSeconds;
    private double _blockedSeconds;

    /// <summary>When the window was opened; <see langword="null"/> while it is closed.</summary>
    public TimeSpan? OpenedAt => _openedAt;

    /// <summary>The most that ran and waited at once, or had a request there, since the window was opened.</summary>
    public int Connections { get; private set; }

    /// <summary>Takes one look, whether the window is open or not: what waits now came before.</summary>
    /// <param name="c">The class.</param>
    public void Observe(in ClassObservation c)
    {
        _wait?.Observe(c.Now, c.Completed + c.Active, c.Queued);
        if (_openedAt is null)
        {
            return;
        }

        double seconds = (c.Now - _lastAt).TotalSeconds;
        _connectionSeconds += _lastConnections * seconds;
        _activeSeconds += c.Active * seconds;
        _blockedSeconds += c.BlockedShare * c.Active * seconds;
        Look(c);
    }

    /// <summary>Opens a window at the look that was just taken.</summary>
    /// <param name="c">The class.</param>
    public void Open(in ClassObservation c)
    {
        _openedAt = c.Now;
        _generationAtOpen = c.Generation;
        _completedAtOpen = c.Completed;
        _queuedAtOpen = c.Queued;
        _connectionSeconds = 0;
        _activeSeconds = 0;
        _blockedSeconds = 0;
        Connections = 0;
        _wait?.Open();
        Look(c);
    }

    /// <summary>Closes the window without a word.</summary>
    public void Close() => _openedAt = null;

    /// <summary>What the open window says.</summary>
    /// <param name="c">The class at its end.</param>
    /// <param name="m">The machine.</param>
    /// <param name="min">Lowest size that may be decided.</param>
    /// <param name="max">Highest size that may be decided.</param>
    /// <param name="cores">Cores the process may use.</param>
    public PoolSample Read(in ClassObservation c, in MachineObservation m, int min, int max, double cores)
    {
        TimeSpan elapsed = c.Now - (_openedAt ?? c.Now);
        long completions = Math.Max(0, c.Completed - _completedAtOpen);
        double blocked = _activeSeconds > 0 ? _blockedSeconds / _activeSeconds : c.BlockedShare;
        int stopped = double.IsNaN(blocked) ? 0 : (int)Math.Round(blocked * c.Active);
        return new()
        {
            Elapsed = elapsed,
            Completions = completions,
            Target = c.Limit,
            MinTarget = min,
            MaxTarget = max,
            Arrivals = Math.Max(0, completions + c.Queued - _queuedAtOpen),
            Queued = c.Queued,
            MeanQueueWait = _wait?.Mean ?? TimeSpan.Zero,
            MaxQueueWait = _wait?.Longest ?? TimeSpan.Zero,
            MeanServiceTime = ServiceTime(c.Generation),
            Active = c.Active,
            Running = c.Active - stopped,
            Blocked = stopped,
            OldestItemAge = c.OldestItemAge,

            // Not a share of the CPU time of the process where it can be had otherwise: compiling ends after some seconds, and that is no change of the work.
            WorkerCpuSeconds = !double.IsNaN(_blockedSeconds) ? _activeSeconds - _blockedSeconds
                : m.Known ? m.OwnCoresOf(c) * elapsed.TotalSeconds
                : double.NaN,
            Utilisation = m.UtilisationOf(c),
            Cores = cores,

            // Nobody was seen, and yet something completed: not known. Zero says that nobody is connected.
            Connections = Connections > 0 ? Connections : null,
            RequestGapSeconds = RequestGapRule.Seconds(Connections, elapsed.TotalSeconds, _connectionSeconds, completions),
        };
    }

    private void Look(in ClassObservation c)
    {
        _lastAt = c.Now;
        _lastConnections = Math.Max(c.Demand, c.Requests ?? 0);
        Connections = Math.Max(Connections, _lastConnections);
    }

    private TimeSpan ServiceTime(in GenerationStatistics now)
    {
        GenerationStatistics since = now.Completed < _generationAtOpen.Completed ? now : now - _generationAtOpen;

        // Short items are timed one in 64: where the window holds none of those, all that ran at this size say it.
        GenerationStatistics known = since.Timed > 0 ? since : now;
        return known.Timed > 0 ? TimeSpan.FromSeconds(Math.Max(0, known.MeanService)) : TimeSpan.Zero;
    }
}
