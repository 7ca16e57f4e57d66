namespace AdaptivePool.Sizing;

/// <summary>
/// Measures one size: waits until it is warm, then until it is settled (rules 10a to 10c). Warm means here that every item in flight when the size was adopted
/// AND when it was first fully used has completed; without the second half a generation of a few old fast workers hides that the new ones still connect.
/// </summary>
internal sealed class GenerationWindow
{
    // 1,000 thread starts take 0.1 s: a size that is not full by then counts as used as far as it is.
    private static readonly TimeSpan s_startTime = TimeSpan.FromMilliseconds(150);

    // Completions that make a generation, as a share of the size; where throughput is size over service time what counts is how long items take while so many
    // run, and not how many have ended.
    private const double GenerationShare = 0.8;
    private const double ExactGenerationShare = 0.5;

    // So many, and the mean of the last two generations counts.
    private const int MostDisagreements = 5;

    // Ages are rounded: an item seen first at that very tick must not count as a younger one.
    private static readonly TimeSpan s_grain = TimeSpan.FromMilliseconds(0.1);

    private GenerationPlan _plan = new(0, TimeSpan.Zero, 0, double.NaN, TrustService: false, TrustFirst: false);
    private Reading? _begun;
    private Reading? _opened;
    private Earlier? _before;
    private TimeSpan? _fullAt;
    private double _seconds;
    private double _emptySeconds;
    private double _activeSum;

    /// <summary>When the measurement began.</summary>
    public TimeSpan BegunAt { get; private set; }

    /// <summary>The size is warm: what completes is counted.</summary>
    public bool IsOpen => _opened is not null;

    /// <summary>Begins to measure a size.</summary>
    public void Begin(TimeSpan now, GenerationPlan plan)
    {
        (_plan, BegunAt) = (plan, now);
        _fullAt = null;
        (_begun, _opened, _before) = (null, null, null);
    }

    /// <summary>Takes one tick; answers when the size is warm and settled.</summary>
    /// <param name="c">The class.</param>
    /// <param name="exact">Size over service time may be trusted: not where the class itself fills the CPU, because the queue for the cores builds up
    /// slowly.</param>
    public GenerationResult? Observe(in ClassObservation c, bool exact = true)
    {
        if (c.Limit != _plan.Size || (_begun is not null && c.IsAfterPause))
        {
            Begin(c.Now, _plan);
            return null;
        }

        if (_begun is null || c.Generation.Completed < _begun.Statistics.Completed)
        {
            _begun = new(c.Now, c.Generation);
            ClearSums();
        }

        if (!IsWarm(c))
        {
            return null;
        }

        if (_opened is null)
        {
            _opened = new(c.Now, c.Generation);
            ClearSums();
        }

        double elapsed = c.Elapsed.TotalSeconds;
        _seconds += elapsed;
        _emptySeconds += c.Queued == 0 ? elapsed : 0;
        _activeSum += Math.Min(c.Active, _plan.Size) * elapsed;
        return (exact ? Exact(c, _begun) : null) ?? Counted(c, _opened);
    }

    private bool IsWarm(in ClassObservation c)
    {
        if (_fullAt is null && (c.Active >= _plan.Size || c.Now - BegunAt >= s_startTime))
        {
            _fullAt = c.Now;
        }

        bool warm = c.Warm && _fullAt is { } full && (c.Active == 0 || c.Now - c.OldestItemAge > full + s_grain);
        return IsOpen || warm || c.Now - BegunAt >= ClassSizeSettings.PatienceFor(c.LongServiceSeconds);
    }

    private GenerationResult? Exact(in ClassObservation c, Reading begun)
    {
        GenerationStatistics d = c.Generation - begun.Statistics;
        double mean = d.MeanService;
        double need = Needed(ExactGenerationShare);
        if (d.Completed < need || d.Timed < Math.Max(2, need / 2) || !KindRule.WaitsLong(c, mean) || !(d.Variation < KindRule.EvenVariation))
        {
            return null;
        }

        double rate = Math.Max(1, Used()) / mean;
        if (_plan.TrustFirst || Agrees(mean, _plan.ReferenceService, ClassSizeSettings.SettledTolerance)
            || Agrees(mean, Before.Service, ClassSizeSettings.SettledTolerance))
        {
            return Result(rate, mean, exact: true);
        }

        _before = Before with { Service = mean };
        _begun = new(c.Now, c.Generation);
        return null;
    }

    private GenerationResult? Counted(in ClassObservation c, Reading opened)
    {
        GenerationStatistics d = c.Generation - opened.Statistics;
        double elapsed = (c.Now - opened.At).TotalSeconds;
        double variation = d.Variation;
        bool even = variation <= KindRule.EvenVariation;
        // Uneven items: 40 of them, or a second's worth when they are slow.
        double need = even || elapsed >= 1 ? Math.Max(Needed(GenerationShare), 2) : Math.Max(Needed(GenerationShare), 40);
        if (elapsed < (_before?.Window ?? _plan.Window.TotalSeconds) || d.Completed < need)
        {
            return null;
        }

        double rate = d.Completed / elapsed;
        double service = d.MeanService;
        bool matches = _plan.TrustService && variation < 0.5 && Agrees(service, _plan.ReferenceService, ClassSizeSettings.SettledTolerance);

        // Two counts of so many items differ by as much when nothing has changed; slow items would be counted again and again.
        double tolerance = Math.Max(_plan.Tolerance, Math.Sqrt(2.0 / d.Completed));
        Earlier before = Before;
        if (matches || Agrees(rate, before.Rate, tolerance) || before.Disagreements >= MostDisagreements)
        {
            return Result(matches || double.IsNaN(before.Rate) ? rate : (rate + before.Rate) / 2, service, exact: false);
        }

        _before = double.IsNaN(before.Rate) ? before with { Rate = rate } : before with
        {
            Rate = rate,
            Disagreements = before.Disagreements + 1,
            Window = Math.Min(Math.Max(before.Window, ClassSizeSettings.MaxWindow.TotalSeconds), before.Window * ClassSizeSettings.WindowGrowth),
        };
        _opened = new(c.Now, c.Generation);
        return null;
    }

    private Earlier Before => _before ?? new(double.NaN, double.NaN, 0, _plan.Window.TotalSeconds);

    private static bool Agrees(double value, double reference, double tolerance) =>
        value > 0 && reference > 0 && Math.Abs(Math.Log(value / reference)) <= Math.Log(1 + tolerance);

    private GenerationResult Result(double rate, double service, bool exact) => new(rate, service, Used(), exact, _emptySeconds > 0.2 * _seconds);

    private double Used() => _seconds > 0 ? _activeSum / _seconds : 0;

    // What is not used cannot complete: with fewer clients than threads a generation is as large as the clients.
    private double Needed(double share) => Math.Ceiling(share * Math.Min(_plan.Size, Math.Max(1, Used())));

    private void ClearSums()
    {
        _seconds = 0;
        _emptySeconds = 0;
        _activeSum = 0;
    }

    private sealed record Reading(TimeSpan At, GenerationStatistics Statistics);

    // What the generation before said, how many have differed, and how long the next one is.
    private sealed record Earlier(double Rate, double Service, int Disagreements, double Window);
}
