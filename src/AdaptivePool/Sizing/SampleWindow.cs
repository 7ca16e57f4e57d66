using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>What a controller is told of a class: sums, means and peaks over the looks since the window was opened.</summary>
/// <param name="countsGaps">Whether the gaps between requests are told, too; they cost a look at each tick.</param>
internal sealed class SampleWindow(bool countsGaps = true)
{
    private readonly RequestGap? _gap = countsGaps ? new() : null;
    private Opening? _opened;
    private double _blockedSeconds;
    private TimeSpan _longestWait;

    /// <summary>When the window was opened; <see langword="null"/> while it is closed.</summary>
    public TimeSpan? OpenedAt => _opened?.At;

    /// <summary>The most that ran and waited at once, or had a request there, since the window was opened.</summary>
    public int Connections { get; private set; }

    /// <summary>Mean number of busy workers since the window was opened.</summary>
    /// <param name="c">The class.</param>
    public double MeanActive(in ClassObservation c) => BusySeconds(c) / (c.Now - OpeningOf(c).At).TotalSeconds;

    /// <summary>Share of the time since then in which nothing waited, 0 to 1.</summary>
    /// <param name="c">The class.</param>
    public double EmptyShare(in ClassObservation c) => (c.EmptySeconds - OpeningOf(c).EmptySeconds) / (c.Now - OpeningOf(c).At).TotalSeconds;

    /// <summary>Takes one look, whether the window is open or not.</summary>
    /// <param name="c">The class.</param>
    public void Observe(in ClassObservation c)
    {
        if (_opened is null)
        {
            return;
        }

        double seconds = c.Elapsed.TotalSeconds;
        _gap?.Observe(There(c), seconds);
        _blockedSeconds += c.BlockedShare * c.Active * seconds;
        Connections = Math.Max(Connections, There(c));
        _longestWait = _longestWait < c.OldestWait ? c.OldestWait : _longestWait;
    }

    /// <summary>Opens a window at the look that was just taken.</summary>
    /// <param name="c">The class.</param>
    public void Open(in ClassObservation c)
    {
        _opened = OpeningAt(c);
        (_blockedSeconds, _longestWait) = (0, TimeSpan.Zero);
        Connections = There(c);
        _gap?.Open(Connections);
    }

    /// <summary>Closes the window without a word.</summary>
    public void Close() => _opened = null;

    /// <summary>What the open window says.</summary>
    /// <param name="c">The class at its end.</param>
    /// <param name="m">The machine.</param>
    /// <param name="min">Lowest size that may be decided.</param>
    /// <param name="max">Highest size that may be decided.</param>
    /// <param name="cores">Cores the process may use.</param>
    public PoolSample Read(in ClassObservation c, in MachineObservation m, int min, int max, double cores)
    {
        Opening opened = OpeningOf(c);
        TimeSpan elapsed = c.Now - opened.At;
        long completions = Math.Max(0, c.Completed - opened.Completed);
        double busy = BusySeconds(c);
        double blocked = busy > 0 ? _blockedSeconds / busy : c.BlockedShare;
        long taken = c.Taken - opened.Taken;
        TimeSpan meanWait = taken > 0 ? TimeSpan.FromSeconds(Math.Max(0, c.WaitedSeconds - opened.WaitedSeconds) / taken) : _longestWait;
        int stopped = double.IsNaN(blocked) ? 0 : (int)Math.Round(blocked * c.Active);
        return new()
        {
            Elapsed = elapsed,
            Completions = completions,
            Target = c.Limit,
            MinTarget = min,
            MaxTarget = max,
            Arrivals = Math.Max(0, completions + c.Queued - opened.Queued),
            Queued = c.Queued,
            MeanQueueWait = meanWait,
            MaxQueueWait = meanWait > _longestWait ? meanWait : _longestWait,
            MeanServiceTime = ServiceTime(c.Generation, opened.Generation),
            Active = c.Active,
            Running = c.Active - stopped,
            Blocked = stopped,
            OldestItemAge = c.OldestItemAge,

            // Not a share of the CPU time of the process where it can be had otherwise: compiling ends after some seconds, and that is no change of the work.
            WorkerCpuSeconds = !double.IsNaN(_blockedSeconds) ? Math.Max(0, busy - _blockedSeconds)
                : m.Known ? m.OwnCoresOf(c) * elapsed.TotalSeconds
                : double.NaN,
            Utilisation = m.UtilisationOf(c),
            Cores = cores,

            // Nobody was seen, and yet something completed: not known. Zero says that nobody is connected.
            Connections = Connections > 0 ? Connections : null,
            RequestGapSeconds = _gap?.Mean(Connections, elapsed.TotalSeconds, completions) ?? 0,
        };
    }

    private static int There(in ClassObservation c) => Math.Max(c.Demand, c.Requests ?? 0);

    private static TimeSpan ServiceTime(in GenerationStatistics now, in GenerationStatistics opened)
    {
        GenerationStatistics since = now.Completed < opened.Completed ? now : now - opened;

        // Short items are timed one in 64: where the window holds none of those, all that ran at this size say it.
        GenerationStatistics known = since.Timed > 0 ? since : now;
        return known.Timed > 0 ? TimeSpan.FromSeconds(Math.Max(0, known.MeanService)) : TimeSpan.Zero;
    }

    private static Opening OpeningAt(in ClassObservation c) =>
        new(c.Now, c.Generation, c.Completed, c.Queued, c.Taken, c.WaitedSeconds, c.BusySeconds, c.EmptySeconds);

    private Opening OpeningOf(in ClassObservation c) => _opened ?? OpeningAt(c);

    private double BusySeconds(in ClassObservation c) => c.BusySeconds - OpeningOf(c).BusySeconds;

    private sealed record Opening(
        TimeSpan At, GenerationStatistics Generation, long Completed, int Queued, long Taken, double WaitedSeconds, double BusySeconds, double EmptySeconds);
}
