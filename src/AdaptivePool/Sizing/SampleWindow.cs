namespace AdaptivePool.Sizing;

/// <summary>The sample of a class that a controller gets: sums, means and peaks over the looks since the window was opened.</summary>
/// <param name="seesPeaks">Whether the sample includes what only a look at each tick shows: most clients, the gaps between their requests, the longest
/// wait.</param>
internal sealed class SampleWindow(bool seesPeaks = true)
{
    private readonly WindowPeaks? _peaks = seesPeaks ? new() : null;
    private ClassObservation? _opened;

    /// <summary>When the window was opened; <see langword="null"/> while it is closed.</summary>
    public TimeSpan? OpenedAt => _opened?.Now;

    /// <summary>The limit that was in force when the window was opened, in threads.</summary>
    public int? OpenedLimit => _opened?.Limit;

    /// <summary>Mean number of busy workers since the window was opened.</summary>
    /// <param name="c">The class.</param>
    public double MeanActive(in ClassObservation c) => BusySeconds(c) / (c.Now - OpeningOf(c).Now).TotalSeconds;

    /// <summary>Share of the time since then in which no work waited, 0 to 1.</summary>
    /// <param name="c">The class.</param>
    public double EmptyShare(in ClassObservation c) => (c.EmptySeconds - OpeningOf(c).EmptySeconds) / (c.Now - OpeningOf(c).Now).TotalSeconds;

    /// <summary>Takes one look, whether the window is open or not.</summary>
    /// <param name="c">The class.</param>
    public void Observe(in ClassObservation c)
    {
        if (_opened is not null)
        {
            _peaks?.Observe(There(c), c.OldestWait, c.Elapsed.TotalSeconds);
        }
    }

    /// <summary>Opens a window at the look that was just taken.</summary>
    /// <param name="c">The class.</param>
    public void Open(in ClassObservation c)
    {
        _opened = c;
        _peaks?.Open(There(c));
    }

    /// <summary>Closes the window without a result.</summary>
    public void Close() => _opened = null;

    /// <summary>Reads the open window.</summary>
    /// <param name="c">The class at its end.</param>
    /// <param name="m">The machine.</param>
    /// <param name="min">Lowest size that may be decided.</param>
    /// <param name="max">Highest size that may be decided.</param>
    public PoolSample Read(in ClassObservation c, in MachineObservation m, int min, int max)
    {
        ClassObservation opened = OpeningOf(c);
        TimeSpan elapsed = c.Now - opened.Now;
        long completions = Math.Max(0, c.Completed - opened.Completed);
        double busy = BusySeconds(c);
        long taken = c.Taken - opened.Taken;
        TimeSpan longestWait = _peaks?.LongestWait ?? c.OldestWait;
        int connections = _peaks?.Connections ?? Math.Max(There(opened), There(c));
        TimeSpan meanWait = taken > 0 ? TimeSpan.FromSeconds(Math.Max(0, c.WaitedSeconds - opened.WaitedSeconds) / taken) : longestWait;
        int stopped = double.IsNaN(c.BlockedShare) ? 0 : (int)Math.Round(c.BlockedShare * c.Active);
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
            MaxQueueWait = meanWait > longestWait ? meanWait : longestWait,
            MeanServiceTime = ServiceTime(c.Generation, opened.Generation),
            Active = c.Active,
            Running = c.Active - stopped,
            Blocked = stopped,
            OldestItemAge = c.OldestItemAge,

            // Not a share of the CPU time of the process where another value is known: compiling ends after some seconds, and that is no change of the work.
            WorkerCpuSeconds = !double.IsNaN(c.BlockedShare) ? busy * (1 - c.BlockedShare)
                : m.Known ? m.OwnCoresOf(c) * elapsed.TotalSeconds
                : double.NaN,
            Utilisation = m.UtilisationOf(c),
            Cores = c.Cores,

            // No client was seen, and yet an item completed: the number is not known. Zero would mean that no client is connected.
            Connections = connections > 0 ? connections : null,
            RequestGapSeconds = _peaks?.Gap(elapsed.TotalSeconds, completions) ?? 0,
        };
    }

    private static int There(in ClassObservation c) => Math.Max(c.Demand, c.Requests ?? 0);

    private static TimeSpan ServiceTime(in GenerationStatistics now, in GenerationStatistics opened)
    {
        GenerationStatistics since = now.Completed < opened.Completed ? now : now - opened;

        // Short items are timed one in 64. Where the window holds no timed item, all items that ran at this size are used.
        GenerationStatistics known = since.Timed > 0 ? since : now;
        return known.Timed > 0 ? TimeSpan.FromSeconds(Math.Max(0, known.MeanService)) : TimeSpan.Zero;
    }

    private ClassObservation OpeningOf(in ClassObservation c) => _opened ?? c;

    private double BusySeconds(in ClassObservation c) => c.BusySeconds - OpeningOf(c).BusySeconds;
}
