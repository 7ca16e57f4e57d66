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

    // Share of the time in which nothing waited, from which on the rate is what was asked for.
    private const double MostEmpty = 0.2;

    // Beside others that fill the server one count is enough, of so long and of two service times at least, half of that after the size is full: a step brings
    // much there or nothing. That all in flight complete, and two counts of slow items agree, takes three to five seconds.
    private const double CrowdedSeconds = 1;
    private const double CrowdedServices = 2;

    // So many, and the mean of the last two generations counts.
    private const int MostDisagreements = 5;

    // Ages are rounded: an item seen first at that very tick must not count as a younger one.
    private static readonly TimeSpan s_grain = TimeSpan.FromMilliseconds(0.1);

    private Measurement _now = new(new(0, TimeSpan.Zero, 0, double.NaN, TrustService: false, TrustFirst: false), TimeSpan.Zero, 0);

    /// <summary>When the measurement began.</summary>
    public TimeSpan BegunAt => _now.At;

    /// <summary>Items of the class that had ended then, cumulative.</summary>
    public long CompletedAtBegin => _now.Completed;

    /// <summary>The size is warm: what completes is counted.</summary>
    public bool IsOpen => _now.Opened is not null;

    private GenerationPlan Plan => _now.Plan;

    private double CrowdedWindow => Plan.ReferenceService * CrowdedServices is > CrowdedSeconds and var slow ? slow : CrowdedSeconds;

    /// <summary>What the machine had used before the readings that belong to this size; <see langword="null"/> where it was not looked at.</summary>
    public MachineUse? UseBefore => _now.UseBefore;

    /// <summary>Readings of the machine belong to this size from the next one on.</summary>
    /// <param name="m">The machine.</param>
    public void LeaveOut(in MachineObservation m) => _now = _now with { UseBefore = m.Use };

    /// <summary>Begins to measure a size.</summary>
    /// <param name="c">The class.</param>
    /// <param name="plan">How.</param>
    public void Begin(in ClassObservation c, GenerationPlan plan) => _now = new(plan, c.Now, c.Completed);

    /// <summary>Takes one tick; answers when the size is warm and settled.</summary>
    /// <param name="c">The class.</param>
    /// <param name="exact">Size over service time may be trusted: not where the class itself fills the CPU, because the queue for the cores builds up
    /// slowly.</param>
    /// <param name="isCrowded">The class waits for a server that others fill.</param>
    public GenerationResult? Observe(in ClassObservation c, bool exact = true, bool isCrowded = false)
    {
        if (c.Limit != Plan.Size || (_now.Begun is not null && c.IsAfterPause))
        {
            Begin(c, Plan);
            return null;
        }

        if (!(_now.Begun?.Completed <= c.Generation.Completed))
        {
            // The first look, or what was lent for a stuck worker has begun another count.
            _now = _now with { Begun = c.Generation, Warm = null, Opened = null };
        }

        if (!IsWarm(c, isCrowded))
        {
            return null;
        }

        if (_now.Opened is null)
        {
            Reading opened = new(c.Now, c.Generation, c.BusySeconds, c.EmptySeconds);
            _now = _now with { Warm = opened, Opened = opened };
        }

        return (exact ? Exact(c) : null) ?? Counted(c, isCrowded);
    }

    private bool IsWarm(in ClassObservation c, bool isCrowded)
    {
        if (_now.FullAt is null && (c.Active >= Plan.Size || c.Now - BegunAt >= s_startTime))
        {
            _now = _now with { FullAt = c.Now };
        }

        bool warm = c.Warm && _now.FullAt is { } full && (c.Active == 0 || c.Now - c.OldestItemAge > full + s_grain);
        return IsOpen || warm || (isCrowded && (c.Now - _now.FullAt)?.TotalSeconds >= CrowdedWindow / 2)
            || c.Now - BegunAt >= ClassSizeSettings.PatienceFor(c.LongServiceSeconds);
    }

    private GenerationResult? Exact(in ClassObservation c)
    {
        GenerationStatistics d = c.Generation - _now.Begun!.Value;
        double mean = d.MeanService;
        double need = Needed(c, ExactGenerationShare);
        if (d.Completed < need || d.Timed < Math.Max(2, need / 2) || !KindRule.WaitsLong(c, mean) || !(d.Variation < KindRule.EvenVariation))
        {
            return null;
        }

        double rate = Math.Max(1, Used(c)) / mean;
        if (Plan.TrustFirst || Agrees(mean, Plan.ReferenceService, ClassSizeSettings.SettledTolerance)
            || Agrees(mean, _now.Before.Service, ClassSizeSettings.SettledTolerance))
        {
            return Result(c, rate, mean, exact: true);
        }

        _now = _now with { Begun = c.Generation, Before = _now.Before with { Service = mean } };
        return null;
    }

    private GenerationResult? Counted(in ClassObservation c, bool isCrowded)
    {
        Reading opened = _now.Opened!;
        GenerationStatistics d = c.Generation - opened.Statistics;
        double elapsed = (c.Now - opened.At).TotalSeconds;
        double variation = d.Variation;
        bool even = variation <= KindRule.EvenVariation;
        // Uneven items: 40 of them, or a second's worth when they are slow.
        double need = even || elapsed >= 1 ? Math.Max(Needed(c, GenerationShare), 2) : Math.Max(Needed(c, GenerationShare), 40);
        Earlier before = _now.Before;
        if (elapsed < (isCrowded ? CrowdedWindow : before.Window) || d.Completed < need)
        {
            return null;
        }

        double rate = d.Completed / elapsed;
        double service = d.MeanService;
        bool matches = Plan.TrustService && variation < 0.5 && Agrees(service, Plan.ReferenceService, ClassSizeSettings.SettledTolerance);

        // Two counts of so many items differ by as much when nothing has changed; slow items would be counted again and again.
        double tolerance = Math.Max(Plan.Tolerance, Math.Sqrt(2.0 / d.Completed));
        if (isCrowded || matches || Agrees(rate, before.Rate, tolerance) || before.Disagreements >= MostDisagreements)
        {
            return Result(c, isCrowded || matches || double.IsNaN(before.Rate) ? rate : (rate + before.Rate) / 2, service, exact: false);
        }

        Earlier next = double.IsNaN(before.Rate) ? before with { Rate = rate } : before with
        {
            Rate = rate,
            Disagreements = before.Disagreements + 1,
            Window = Math.Min(Math.Max(before.Window, ClassSizeSettings.MaxWindow.TotalSeconds), before.Window * ClassSizeSettings.WindowGrowth),
        };
        _now = _now with { Opened = new(c.Now, c.Generation, c.BusySeconds, c.EmptySeconds), Before = next };
        return null;
    }

    private static bool Agrees(double value, double reference, double tolerance) =>
        value > 0 && reference > 0 && Math.Abs(Math.Log(value / reference)) <= Math.Log(1 + tolerance);

    private GenerationResult Result(in ClassObservation c, double rate, double service, bool exact)
    {
        double seconds = (c.Now - _now.Warm!.At).TotalSeconds;
        bool isEmpty = seconds > 0 ? c.EmptySeconds - _now.Warm.EmptySeconds > MostEmpty * seconds : c.Queued == 0;
        return new(rate, service, Used(c), exact, isEmpty);
    }

    private double Used(in ClassObservation c)
    {
        double seconds = (c.Now - _now.Warm!.At).TotalSeconds;
        return Math.Min(Plan.Size, seconds > 0 ? (c.BusySeconds - _now.Warm.BusySeconds) / seconds : c.Active);
    }

    // What is not used cannot complete: with fewer clients than threads a generation is as large as the clients.
    private double Needed(in ClassObservation c, double share) => Math.Ceiling(share * Math.Max(1, Used(c)));

    private sealed record Reading(TimeSpan At, GenerationStatistics Statistics, double BusySeconds, double EmptySeconds);

    // What the generation before said, how many have differed, and how long the next one is.
    private sealed record Earlier(double Rate, double Service, int Disagreements, double Window);

    // Of one size: what was seen when it was first in force, when it was full, when it was warm, and when the present window was opened.
    private sealed record Measurement(GenerationPlan Plan, TimeSpan At, long Completed)
    {
        public GenerationStatistics? Begun { get; init; }

        public MachineUse? UseBefore { get; init; }

        public TimeSpan? FullAt { get; init; }

        public Reading? Warm { get; init; }

        public Reading? Opened { get; init; }

        public Earlier Before { get; init; } = new(double.NaN, double.NaN, 0, Plan.Window.TotalSeconds);
    }
}
