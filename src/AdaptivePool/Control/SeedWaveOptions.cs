using System.Globalization;

namespace AdaptivePool.Control;

/// <summary>
/// Parameters of <see cref="ControllerProfile.SeedWave"/>. With <see cref="HillClimbingOptions.Enabled"/> and <see cref="HillClimbingOptions.LogEnabled"/> they
/// are the 33 that the founding document counts. It names eleven and describes three more; the rest decide what it leaves open.
/// </summary>
public sealed record SeedWaveOptions
{
    private const int LargestSize = 32_767;
    private const int MostPlateauPoints = 8;

    // One list for all: options with equal values must be equal.
    private static readonly IReadOnlyList<PlateauPoint> s_plateauPoints = Array.AsReadOnly<PlateauPoint>([new(10, 8), new(20, 15)]);
    private readonly PlateauPointList _plateauPoints = new(s_plateauPoints);

    /// <summary>
    /// Samples in one period of the wave; a multiple of 4 from 4 to 64, default 4 (the seed's <c>wave_period</c>). A longer period settles better and decides
    /// later.
    /// </summary>
    [OptionRange(4, 64)]
    public int WavePeriod { get; init; } = 4;

    /// <summary>
    /// Periods kept in the history, 2 to 64, default 8 (the seed's <c>samples_to_wave_period_ratio</c>): 32 samples. More are less noisy and slower to follow.
    /// </summary>
    [OptionRange(2, 64)]
    public int SamplesToWavePeriodRatio { get; init; } = 8;

    /// <summary>Length of a sample, 1 ms to 1 hour, default 2 s (the seed's <c>hcm_period</c>). Longer is less noisy and slower.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan SamplePeriod { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Throughput under which the controller is suspended, per second or as <see cref="MinThroughputIsPercentOfBest"/> says, 0 to 1,000,000,000, default 300
    /// (the seed's <c>min_accepted_throughput</c>). Zero never suspends; higher gives up earlier on slow workloads, and for ever on a slow tail.
    /// </summary>
    [OptionRange(0.0, 1_000_000_000.0)]
    public double MinAcceptedThroughput { get; init; } = 300;

    /// <summary>
    /// Whether <see cref="MinAcceptedThroughput"/> is in per cent of the highest throughput seen since the search began. Default false, as in the seed: in
    /// completions per second, whatever the workload.
    /// </summary>
    public bool MinThroughputIsPercentOfBest { get; init; }

    /// <summary>
    /// Distance of the bounds under which the best size counts as found, in threads, 1 to 32,767, default 5 (the seed's <c>hcm_eps</c>). Higher ends the search
    /// earlier and further from the best.
    /// </summary>
    [OptionRange(1, LargestSize)]
    public int BracketWidth { get; init; } = 5;

    /// <summary>
    /// Deviation of throughput, connections or latency that ends the state Optimized, and of a known pair that is a miss, as a share, 0.01
    /// to 10, default 0.2 (the seed's <c>hcm_valuable_diff</c>, 20 %). Higher is calmer and blinder.
    /// </summary>
    [OptionRange(0.01, 10.0)]
    public double ValuableDifference { get; init; } = 0.2;

    /// <summary>
    /// Absolute sum of real parts that triggers a jump, 0.001 to 100, default 0.2 (the seed's <c>hcm_ccs_valuable_progress</c>). Higher is slower and surer.
    /// </summary>
    [OptionRange(0.001, 100.0)]
    public double ValuableProgress { get; init; } = 0.2;

    /// <summary>
    /// First height of the wave, in threads, 1 to 32,767, default 10 (the seed's <c>hcm_min_thread_wave_magnitude</c>). Higher is easier to see and coarser.
    /// </summary>
    [OptionRange(1, LargestSize)]
    public int MinWaveMagnitude { get; init; } = 10;

    /// <summary>
    /// Height at which the wave ends and the plateau begins, in threads, 1 to 32,767 and not under <see cref="MinWaveMagnitude"/>, default 80 (the seed's
    /// <c>hcm_max_thread_wave_magnitude</c>). Higher looks further for a trend.
    /// </summary>
    [OptionRange(1, LargestSize, MinimumOption = nameof(MinWaveMagnitude))]
    public int MaxWaveMagnitude { get; init; } = 80;

    /// <summary>
    /// Factor by which the height grows while no trend is found, 1.01 to 16, default 2 ("gradually" in the seed). Higher reaches the plateau sooner.
    /// </summary>
    [OptionRange(1.01, 16.0)]
    public double MagnitudeGrowth { get; init; } = 2;

    /// <summary>
    /// Samples without a jump after which the height grows, 1 to 100,000, default 32: one history. Higher is surer that there is no trend, and slower.
    /// </summary>
    [OptionRange(1, 100_000)]
    public int MagnitudePatience { get; init; } = 32;

    /// <summary>
    /// Threads above the number of connections from which a best size is false, 0 to 32,767, default 20 (the seed's "False transition"). Higher allows more
    /// idle threads.
    /// </summary>
    [OptionRange(0, LargestSize)]
    public int MaxThreadsAboveConnections { get; init; } = 20;

    /// <summary>
    /// Connections per thread under which a jump up is false, 0 to 100, default 0.2 (the seed's "False jump"). Zero refuses nothing; higher refuses more.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double MinConnectionsPerThread { get; init; } = 0.2;

    /// <summary>
    /// Reference points of the step down on a plateau: 2N of them, 2 to 8, in rising order of size, sizes 2 to 32,767. Default (10;8) and (20;15), from which
    /// the seed calculates 0.36 and 0.018. Higher sizes after the step make it shorter.
    /// </summary>
    public IReadOnlyList<PlateauPoint> PlateauPoints
    {
        get => _plateauPoints.Points!;
        init => _plateauPoints = new(value);
    }

    /// <summary>
    /// Loss of throughput on the way down a plateau, as a share of the best seen on it, that ends it, 0.001 to 1, default 0.05 (the seed gives no threshold).
    /// Higher goes down further and loses more.
    /// </summary>
    [OptionRange(0.001, 1.0)]
    public double PlateauDrop { get; init; } = 0.05;

    /// <summary>Samples measured at each size of a plateau, 1 to 1,000, default 8. Higher is surer and slower.</summary>
    [OptionRange(1, 1_000)]
    public int PlateauSamples { get; init; } = 8;

    /// <summary>
    /// Whether the ratio of the harmonics is size over throughput, as the seed prints its formula: the sign is the same, but it is greatest where throughput
    /// responds least. Default false: throughput over size, each divided by its mean, which is per cent of throughput for one per cent of threads.
    /// </summary>
    public bool InvertHarmonicRatio { get; init; }

    /// <summary>
    /// Whether what is summed towards <see cref="ValuableProgress"/> is the real part times its confidence, which is one third of its ratio to the noise and at
    /// most one: calmer, and slow where the noise is large. Default false: the real part as it comes, noise included.
    /// </summary>
    public bool WeighProgressByConfidence { get; init; }

    /// <summary>
    /// Whether the wave is read at the end of each period only, where a linear drift adds nothing to the real part. Default false: after every sample, as the
    /// seed's <c>update()</c> does, which is sooner, but three of four windows see a drift as an effect of the size.
    /// </summary>
    public bool EvaluateOncePerPeriod { get; init; }

    /// <summary>
    /// Samples of a wave before it is first read, <see cref="WavePeriod"/> to the whole history, at most 4,096, default 8. Higher is surer and slower.
    /// </summary>
    [OptionRange(4, 4_096, MinimumOption = nameof(WavePeriod))]
    public int FirstEvaluationSamples { get; init; } = 8;

    /// <summary>
    /// Whether a jump that would pass a size known to be too small or too large is made in full, and the bound that it passes forgotten. Default false: it goes
    /// to the middle between the two bounds.
    /// </summary>
    public bool ForgetPassedBounds { get; init; }

    /// <summary>
    /// Threads that a jump down goes per unit of the real part before any jump up has shown it, 0.1 to 100,000. Default not set: magnitude /
    /// <see cref="ValuableProgress"/>. Higher leaves a falling curve faster and overshoots more.
    /// </summary>
    [OptionRange(0.1, 100_000.0)]
    public double? FirstDownScale { get; init; }

    /// <summary>Longest jump down: size before over size after, 1.01 to 1,000, default 16. Higher overshoots more.</summary>
    [OptionRange(1.01, 1_000.0)]
    public double MaxDownRatio { get; init; } = 16;

    /// <summary>
    /// Samples in a row outside the band that end the state Optimized, 1 to 1,000, default 1. Higher stays through noise and sees changes
    /// later.
    /// </summary>
    [OptionRange(1, 1_000)]
    public int SamplesOutOfBand { get; init; } = 1;

    /// <summary>
    /// Whether a steep decline is measured with the sample just before, whatever its size: at small sizes the wave itself is a steep decline. Default false:
    /// with the sample at the same place of the wave one period earlier, if it had the same size.
    /// </summary>
    public bool CompareWithPreviousSample { get; init; }

    /// <summary>
    /// Loss of throughput, as a share, that is unnaturally steep, 0.01 to 1, default 0.5 (the seed gives no threshold). Higher reacts to worse collapses only;
    /// one never.
    /// </summary>
    [OptionRange(0.01, 1.0)]
    public double SteepDecline { get; init; } = 0.5;

    /// <summary>
    /// Whether a search that the controller begins again starts from the size that it began with. Default false: from the present one. A size that was set
    /// from outside is always kept.
    /// </summary>
    public bool RestartFromInitialSize { get; init; }

    /// <summary>
    /// Whether throughput between known sizes is expected on a monotone cubic spline (PCHIP) through all known points, where there are three or more. Default
    /// false: on a straight line between the two neighbours.
    /// </summary>
    public bool SplineInterpolation { get; init; }

    /// <summary>
    /// Pairs in a row that must miss their prediction before the workload counts as changed, 1 to 100, default 2 ("twice" in the seed). Higher is calmer and
    /// slower.
    /// </summary>
    [OptionRange(1, 100)]
    public int MissesInARow { get; init; } = 2;

    /// <summary>Pairs of size and throughput that are known at most, 2 to 10,000, default 32. More remember longer.</summary>
    [OptionRange(2, 10_000)]
    public int KnownPoints { get; init; } = 32;

    /// <summary>
    /// Checks every option against its range. Whether the <see cref="PlateauPoints"/> can be solved shows when a controller is created with them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range; the message names the option, its value and the range.</exception>
    public void Validate() => OptionCheck.ThrowFirst(Failures());

    internal List<OptionFailure> Failures()
    {
        List<OptionFailure> outside = OptionCheck.Failures(this);
        return outside.Count > 0 ? outside : [.. Contradictions()];
    }

    /// <summary>What no range says of options that are all within theirs.</summary>
    private IEnumerable<OptionFailure> Contradictions()
    {
        if (WavePeriod % 4 != 0)
        {
            yield return OptionCheck.Failure(nameof(WavePeriod), WavePeriod, "a multiple of 4 from 4 to 64");
        }

        int history = WavePeriod * SamplesToWavePeriodRatio;
        if (FirstEvaluationSamples > history)
        {
            yield return OptionCheck.Failure(nameof(FirstEvaluationSamples), FirstEvaluationSamples, string.Create(CultureInfo.InvariantCulture,
                $"{history}, the {nameof(WavePeriod)} times the {nameof(SamplesToWavePeriodRatio)}, or less"));
        }

        if (PlateauPoints is null || PlateauPoints.Count < 2 || PlateauPoints.Count > MostPlateauPoints || PlateauPoints.Count % 2 != 0)
        {
            string count = PlateauPoints is null ? "null" : string.Create(CultureInfo.InvariantCulture, $"{PlateauPoints.Count} points");
            yield return OptionCheck.Failure(nameof(PlateauPoints), count, "2, 4, 6 or 8 points");
            yield break;
        }

        double previous = 0;
        foreach (PlateauPoint point in PlateauPoints)
        {
            bool isInOrder = point.Size >= 2 && point.Size > previous && point.Size <= LargestSize;
            if (!isInOrder || !(point.NextSize >= 1 && point.NextSize < point.Size))
            {
                yield return OptionCheck.Failure(nameof(PlateauPoints), point,
                    "points of 2 to 32767 threads in rising order, each with a smaller size of 1 or more after it");
            }

            previous = point.Size;
        }
    }
}
