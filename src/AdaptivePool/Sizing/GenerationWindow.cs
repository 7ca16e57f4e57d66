namespace AdaptivePool.Sizing;

/// <summary>
/// Measures one size: waits until the size is warm, then until it is settled (rules 10a to 10c). Warm means here that every item in flight when the size was
/// adopted AND every item in flight when it was first fully used has completed. Without the second condition a generation of a few old fast workers hides
/// that the new ones still connect.
/// </summary>
internal sealed class GenerationWindow
{
    // 1,000 thread starts take 0.1 s. A size that is not full by then is measured with the threads that are in use.
    private static readonly TimeSpan s_startTime = TimeSpan.FromMilliseconds(150);

    // Completions that make a generation, as a share of the size. Where throughput is size over service time, what counts is how long items take while so
    // many run, and not how many have ended.
    private const double GenerationShare = 0.8;
    private const double ExactGenerationShare = 0.5;

    // Beside other classes that fill the server one count is enough. It begins half a second after the size was full, or one service time, and lasts twice as
    // long: a step there brings either much or nothing. Waiting until all items in flight have completed, and two counts of slow items agree, takes three to
    // five seconds.
    private const double CrowdedSeconds = 1;
    private const double CrowdedServices = 2;

    // How many times the completions of the class the other classes of the pool complete meanwhile. They continue, so the server has not paused. Factors of
    // ten and more were read.
    private const double OthersFactor = 4;

    // A few items say nothing about a step. The window waits for slower ones this long.
    private const int FewItems = 40;
    private const double PatientWindows = 2;

    // After so many disagreements the mean of the last two generations counts.
    private const int MostDisagreements = 5;

    // How far two generations may differ at a size above SmallSize, for a class whose service time says nothing. A warming process must not look like a gain.
    private const double LargeTolerance = 0.12;

    // First window of a generation at a small size. Windows of 10 to 30 ms read 1,400 to 5,500 per second for one size.
    private static readonly TimeSpan s_smallWindow = TimeSpan.FromMilliseconds(60);

    // First window above SmallSize when the service time says nothing.
    private static readonly TimeSpan s_largeWindow = TimeSpan.FromMilliseconds(150);

    private Measurement _now = new(0, double.NaN, TrustFirst: false, IsSmall: true, TimeSpan.Zero, 0);

    /// <summary>The size that is measured, in threads.</summary>
    public int Size => _now.Size;

    /// <summary>When the measurement began.</summary>
    public TimeSpan BegunAt => _now.At;

    /// <summary>Items of the class that had ended when the measurement began, cumulative.</summary>
    public long CompletedAtBegin => _now.Completed;

    /// <summary>The size is warm: completions are counted.</summary>
    public bool IsOpen => _now.Opened is not null;

    private double CrowdedWindow => _now.ReferenceService * CrowdedServices is > CrowdedSeconds and var slow ? slow : CrowdedSeconds;

    /// <summary>What the machine had used before the readings that belong to this size; <see langword="null"/> where the machine was not read.</summary>
    public MachineUse? UseBefore => _now.UseBefore;

    /// <summary>Leaves this reading out: readings of the machine belong to this size from the next one on.</summary>
    /// <param name="m">The machine.</param>
    public void LeaveOut(in MachineObservation m) => _now = _now with { UseBefore = m.Use };

    /// <summary>Begins to measure a size.</summary>
    /// <param name="c">The class.</param>
    /// <param name="size">The size, in threads.</param>
    /// <param name="referenceService">Mean service time at the size before; NaN when not known. A service time that matches it settles the measurement at
    /// once (rule 10b). For a small size it settles also a rate that was counted, not only an exact one.</param>
    /// <param name="trustFirst">One exact generation settles the measurement without a reference: the workers were seen to sleep, so they do not
    /// connect.</param>
    public void Begin(in ClassObservation c, int size, double referenceService, bool trustFirst) =>
        _now = new(size, referenceService, trustFirst, size <= c.SmallSize, c.Now, c.Completed);

    /// <summary>Takes one tick. Returns a result when the size is warm and settled.</summary>
    /// <param name="c">The class.</param>
    /// <param name="exact">Whether size over service time may be trusted. It may not where the class itself fills the CPU, because the queue for the cores
    /// builds up slowly.</param>
    /// <param name="mayBeCrowded">The class waits while others fill the cores. Where it <see cref="IsCrowded"/>, one count is enough.</param>
    public GenerationResult? Observe(in ClassObservation c, bool exact = true, bool mayBeCrowded = false)
    {
        if (c.Limit != _now.Size || (_now.Begun is not null && c.IsAfterPause))
        {
            Begin(c, _now.Size, _now.ReferenceService, _now.TrustFirst);
            return null;
        }

        if (!(_now.Seen?.Completed <= c.Generation.Completed))
        {
            // This is the first look, or a loan for a stuck worker has begun another count since the previous look.
            Reading? from = _now.CountFrom is { } counting ? counting with { Statistics = c.Generation } : null;
            _now = _now with { Begun = c.Generation, Warm = null, Opened = null, CountFrom = from };
        }

        _now = _now with { Seen = c.Generation };

        if (_now.Full is null && (c.Active >= _now.Size || c.Now - BegunAt >= s_startTime))
        {
            _now = _now with { Full = Reading.Of(c) };
        }

        if (_now.CountFrom is null && (c.Now - _now.Full?.At)?.TotalSeconds >= CrowdedWindow / 2)
        {
            _now = _now with { CountFrom = Reading.Of(c) };
        }

        if (IsWarm(c))
        {
            if (_now.Opened is null)
            {
                Reading opened = Reading.Of(c);
                _now = _now with { Warm = opened, Opened = opened };
            }

            if (((exact ? Exact(c) : null) ?? Counted(c)) is { } result)
            {
                return result;
            }
        }

        return mayBeCrowded && _now.CountFrom is { } start ? CountedOnce(c, start) : null;
    }

    /// <summary>
    /// The workers of the class are mostly found in long items, while the rest of the pool completes many more: other work fills the server of the class. The
    /// mean over all items does not show this where most items end at once, from a cache. A server that pauses makes all items long, too, but then the other
    /// classes do not continue.
    /// </summary>
    /// <param name="c">The class at this tick.</param>
    public bool IsCrowded(in ClassObservation c)
    {
        if (_now.Full is not { } full || 2 * (c.LongSeconds - full.LongSeconds) <= c.BusySeconds - full.BusySeconds)
        {
            return false;
        }

        // Completions of work in flight are divided between the class and the others by the number of their items.
        double own = c.Completed - full.Completed;
        double others = c.OthersCompleted - full.OthersCompleted;
        double inFlight = others > 0 ? (c.InFlightCompleted - full.InFlightCompleted) * others / (others + own) : 0;
        return others + inFlight > OthersFactor * own && others > 0;
    }

    private bool IsWarm(in ClassObservation c)
    {
        bool warm = c.Warm && _now.Full is { } full && (c.Active == 0 || c.Now - c.OldestItemAge > full.At + ClassObservation.Grain);
        return IsOpen || warm || c.Now - BegunAt >= ClassSizeSettings.PatienceFor(c.LongServiceSeconds);
    }

    private GenerationResult? CountedOnce(in ClassObservation c, Reading from)
    {
        long completed = c.Completed - from.Completed;
        double elapsed = (c.Now - from.At).TotalSeconds;
        double need = elapsed < PatientWindows * CrowdedWindow ? Math.Max(Needed(c, GenerationShare), FewItems) : 1;
        return elapsed >= CrowdedWindow && completed >= need && IsCrowded(c)
            ? Result(c, completed / elapsed, ServiceSince(c, from))
            : null;
    }

    // A loan for a stuck worker may have begun another count meanwhile.
    private static double ServiceSince(in ClassObservation c, Reading from) =>
        c.Generation - from.Statistics is { Completed: >= 0, Timed: > 0, ServiceSeconds: > 0 } d ? d.MeanService : c.Generation.MeanService;

    // The rate is size over service time (rule 10c). It is therefore known after one generation.
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
        if (_now.TrustFirst || Agrees(mean, _now.ReferenceService, ClassSizeSettings.SettledTolerance)
            || Agrees(mean, _now.Before.Service, ClassSizeSettings.SettledTolerance))
        {
            return Result(c, rate, mean);
        }

        _now = _now with { Begun = c.Generation, Before = _now.Before with { Service = mean } };
        return null;
    }

    private GenerationResult? Counted(in ClassObservation c)
    {
        Reading opened = _now.Opened!;
        GenerationStatistics d = c.Generation - opened.Statistics;
        double elapsed = (c.Now - opened.At).TotalSeconds;
        double variation = d.Variation;
        bool even = variation <= KindRule.EvenVariation;
        // Uneven items: 40 of them are needed, or one second of them when they are slow.
        double need = even || elapsed >= 1 ? Math.Max(Needed(c, GenerationShare), 2) : Math.Max(Needed(c, GenerationShare), 40);
        Earlier before = _now.Before;
        if (elapsed < before.Window || d.Completed < need)
        {
            return null;
        }

        if (CountedWhole(c) is { } whole)
        {
            return whole;
        }

        double rate = d.Completed / elapsed;
        double service = d.MeanService;
        bool matches = _now.IsSmall && variation < 0.5 && Agrees(service, _now.ReferenceService, ClassSizeSettings.SettledTolerance);

        // Two counts of so many items differ by this much when nothing has changed. A smaller tolerance would make slow items be counted again and again.
        double tolerance = Math.Max(_now.IsSmall ? ClassSizeSettings.SettledTolerance : LargeTolerance, Math.Sqrt(2.0 / d.Completed));
        if (matches || Agrees(rate, before.Rate, tolerance) || before.Disagreements >= MostDisagreements)
        {
            return Result(c, matches || double.IsNaN(before.Rate) ? rate : (rate + before.Rate) / 2, service);
        }

        Earlier next = double.IsNaN(before.Rate) ? before with { Rate = rate } : before with
        {
            Rate = rate,
            Disagreements = before.Disagreements + 1,
            Window = Math.Min(Math.Max(before.Window, ClassSizeSettings.MaxWindow.TotalSeconds), before.Window * ClassSizeSettings.WindowGrowth),
        };
        _now = _now with { Opened = Reading.Of(c), Before = next };
        return null;
    }

    // A count ends where all items that were in flight when it began have ended. The items that hold the workers may be longer than the longest window, and
    // many that began together end together. Two windows of their short items in between agree on nothing.
    private GenerationResult? CountedWhole(in ClassObservation c)
    {
        Reading warm = _now.Warm!;
        double elapsed = (c.Now - warm.At).TotalSeconds;
        bool isWhole = elapsed >= c.LongServiceSeconds && c.Now - c.OldestItemAge > warm.At + ClassObservation.Grain;
        GenerationStatistics d = c.Generation - warm.Statistics;
        return ClassSizeSettings.IsLong(c.LongServiceSeconds) && isWhole && d.Completed >= Math.Max(Needed(c, GenerationShare), FewItems)
            ? Result(c, d.Completed / elapsed, d.MeanService)
            : null;
    }

    private static bool Agrees(double value, double reference, double tolerance) =>
        value > 0 && reference > 0 && Math.Abs(Math.Log(value / reference)) <= Math.Log(1 + tolerance);

    private GenerationResult Result(in ClassObservation c, double rate, double service)
    {
        Reading since = Since;
        double seconds = (c.Now - since.At).TotalSeconds;
        bool isEmpty = seconds > 0 ? c.EmptySeconds - since.EmptySeconds > ClassSizeSettings.EmptyShare * seconds : c.Queued == 0;
        return new(rate, service, Used(c), isEmpty, IsCrowded(c));
    }

    private double Used(in ClassObservation c)
    {
        Reading since = Since;
        double seconds = (c.Now - since.At).TotalSeconds;
        return Math.Min(_now.Size, seconds > 0 ? (c.BusySeconds - since.BusySeconds) / seconds : c.Active);
    }

    // The reading from which a result counts: where the size was warm, or where the single count begins.
    private Reading Since => (_now.Warm ?? _now.CountFrom)!;

    // A thread that is not used completes nothing: with fewer clients than threads a generation is as large as the number of clients.
    private double Needed(in ClassObservation c, double share) => Math.Ceiling(share * Math.Max(1, Used(c)));

    private sealed record Reading(
        TimeSpan At, GenerationStatistics Statistics, long Completed, long OthersCompleted, long InFlightCompleted, double BusySeconds, double LongSeconds,
        double EmptySeconds)
    {
        public static Reading Of(in ClassObservation c) =>
            new(c.Now, c.Generation, c.Completed, c.OthersCompleted, c.InFlightCompleted, c.BusySeconds, c.LongSeconds, c.EmptySeconds);
    }

    // The result of the generation before, how many generations have disagreed, and how long the next one is.
    private sealed record Earlier(double Rate, double Service, int Disagreements, double Window);

    // Readings of one size: when it was first in force, when it was full, when it was warm, and when the present window was opened.
    private sealed record Measurement(int Size, double ReferenceService, bool TrustFirst, bool IsSmall, TimeSpan At, long Completed)
    {
        public GenerationStatistics? Begun { get; init; }

        // At the last look.
        public GenerationStatistics? Seen { get; init; }

        public MachineUse? UseBefore { get; init; }

        public Reading? Full { get; init; }

        // Of the single count beside others.
        public Reading? CountFrom { get; init; }

        public Reading? Warm { get; init; }

        public Reading? Opened { get; init; }

        public Earlier Before { get; init; } = new(double.NaN, double.NaN, 0, (IsSmall ? s_smallWindow : s_largeWindow).TotalSeconds);
    }
}
