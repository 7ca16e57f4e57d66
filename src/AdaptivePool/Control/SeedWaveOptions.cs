using System.Globalization;

namespace AdaptivePool.Control;

/// <summary>
/// Parameters of <see cref="ControllerProfile.SeedWave"/>. Together with <see cref="HillClimbingOptions.Enabled"/> and
/// <see cref="HillClimbingOptions.LogEnabled"/> they are the 33 parameters that the founding document (the seed) counts. The document names eleven of them and
/// describes three more. The rest decide points that it leaves open.
/// </summary>
public sealed record SeedWaveOptions
{
    private const int LargestSize = 32_767;
    private const int MostPlateauPoints = 8;

    // One list for all instances: options with equal values must be equal.
    private static readonly IReadOnlyList<PlateauPoint> s_plateauPoints = Array.AsReadOnly<PlateauPoint>([new(10, 8), new(20, 15)]);
    private readonly PlateauPointList _plateauPoints = new(s_plateauPoints);

    /// <summary>
    /// The number of samples in one period of the wave; a multiple of 4 from 4 to 64, default 4 (the seed's <c>wave_period</c>). A longer period settles better
    /// and decides later.
    /// </summary>
    [OptionRange(4, 64)]
    public int WavePeriod { get; init; } = 4;

    /// <summary>
    /// The number of periods kept in the history, 2 to 64, default 8 (the seed's <c>samples_to_wave_period_ratio</c>), which is 32 samples. More periods are
    /// less noisy and follow changes more slowly.
    /// </summary>
    [OptionRange(2, 64)]
    public int SamplesToWavePeriodRatio { get; init; } = 8;

    /// <summary>The length of a sample, 1 ms to 1 hour, default 2 s (the seed's <c>hcm_period</c>). A longer sample is less noisy and slower.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan SamplePeriod { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The throughput below which the controller is suspended, per second or as <see cref="MinThroughputIsPercentOfBest"/> says, 0 to 1,000,000,000, default
    /// 300 (the seed's <c>min_accepted_throughput</c>). Zero never suspends it. A higher value suspends it earlier on slow workloads, and permanently on a slow
    /// tail.
    /// </summary>
    [OptionRange(0.0, 1_000_000_000.0)]
    public double MinAcceptedThroughput { get; init; } = 300;

    /// <summary>
    /// Whether <see cref="MinAcceptedThroughput"/> is in per cent of the highest throughput seen since the search began. Default false, as in the seed: the
    /// value is in completions per second, whatever the workload.
    /// </summary>
    public bool MinThroughputIsPercentOfBest { get; init; }

    /// <summary>
    /// The distance between the bounds below which the best size counts as found, in threads, 1 to 32,767, default 5 (the seed's <c>hcm_eps</c>). A higher
    /// value ends the search earlier and further from the best size.
    /// </summary>
    [OptionRange(1, LargestSize)]
    public int BracketWidth { get; init; } = 5;

    /// <summary>
    /// The deviation, as a share, that matters: a deviation of throughput, connections or latency that ends the state Optimized, and a deviation of a known
    /// pair from its prediction that counts as a miss. 0.01 to 10, default 0.2 (the seed's <c>hcm_valuable_diff</c>, 20 %). A higher value reacts less often,
    /// and misses more changes.
    /// </summary>
    [OptionRange(0.01, 10.0)]
    public double ValuableDifference { get; init; } = 0.2;

    /// <summary>
    /// The absolute sum of real parts that triggers a jump, 0.001 to 100, default 0.2 (the seed's <c>hcm_ccs_valuable_progress</c>). A higher value is slower
    /// and more certain.
    /// </summary>
    [OptionRange(0.001, 100.0)]
    public double ValuableProgress { get; init; } = 0.2;

    /// <summary>
    /// The initial height of the wave, in threads, 1 to 32,767, default 10 (the seed's <c>hcm_min_thread_wave_magnitude</c>). A higher wave is easier to see
    /// and coarser.
    /// </summary>
    [OptionRange(1, LargestSize)]
    public int MinWaveMagnitude { get; init; } = 10;

    /// <summary>
    /// The height at which the wave ends and the plateau begins, in threads, 1 to 32,767 and not less than <see cref="MinWaveMagnitude"/>, default 80 (the
    /// seed's <c>hcm_max_thread_wave_magnitude</c>). A higher value searches longer for a trend.
    /// </summary>
    [OptionRange(1, LargestSize, minimumOption: nameof(MinWaveMagnitude))]
    public int MaxWaveMagnitude { get; init; } = 80;

    /// <summary>
    /// The factor by which the height grows while no trend is found, 1.01 to 16, default 2 ("gradually" in the seed). A higher value reaches the plateau
    /// sooner.
    /// </summary>
    [OptionRange(1.01, 16.0)]
    public double MagnitudeGrowth { get; init; } = 2;

    /// <summary>
    /// The number of samples without a jump after which the height grows, 1 to 100,000, default 32, which is one history. A higher value is more certain that
    /// there is no trend, and slower.
    /// </summary>
    [OptionRange(1, 100_000)]
    public int MagnitudePatience { get; init; } = 32;

    /// <summary>
    /// The number of threads above the number of connections from which a best size is false, 0 to 32,767, default 20 (the seed's "False transition"). A higher
    /// value allows more idle threads.
    /// </summary>
    [OptionRange(0, LargestSize)]
    public int MaxThreadsAboveConnections { get; init; } = 20;

    /// <summary>
    /// The number of connections per thread below which a jump up is false, 0 to 100, default 0.2 (the seed's "False jump"). Zero refuses nothing. A higher
    /// value refuses more.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double MinConnectionsPerThread { get; init; } = 0.2;

    /// <summary>
    /// Reference points of the step down on a plateau: 2N of them, 2 to 8, in rising order of size, with sizes 2 to 32,767. Default (10;8) and (20;15), from
    /// which the seed calculates 0.36 and 0.018. Higher sizes after the step make it shorter.
    /// </summary>
    public IReadOnlyList<PlateauPoint> PlateauPoints
    {
        get => _plateauPoints.Points!;
        init => _plateauPoints = new(value is null ? null : [.. value]);
    }

    /// <summary>
    /// The loss of throughput on the way down a plateau that ends the plateau, as a share of the best throughput seen on it, 0.001 to 1, default 0.05 (the seed
    /// gives no threshold). A higher value goes down further and loses more.
    /// </summary>
    [OptionRange(0.001, 1.0)]
    public double PlateauDrop { get; init; } = 0.05;

    /// <summary>The number of samples measured at each size of a plateau, 1 to 1,000, default 8. A higher value is more certain and slower.</summary>
    [OptionRange(1, 1_000)]
    public int PlateauSamples { get; init; } = 8;

    /// <summary>
    /// Whether the ratio of the harmonics is size over throughput, as the seed prints its formula. The sign is the same, but the ratio is largest where the
    /// throughput reacts least. Default false: throughput over size, each divided by its mean, which means per cent of throughput for one per cent of threads.
    /// </summary>
    public bool InvertHarmonicRatio { get; init; }

    /// <summary>
    /// Whether the sum that is compared with <see cref="ValuableProgress"/> adds the real part times its confidence. The confidence is one third of the ratio
    /// of the real part to the noise, and at most one. This is steadier, and slow if the noise is large. Default false: it adds the real part unchanged,
    /// including the noise.
    /// </summary>
    public bool WeighProgressByConfidence { get; init; }

    /// <summary>
    /// Whether the wave is evaluated only at the end of each period, where a linear drift adds nothing to the real part. Default false: after every sample, as
    /// in the seed's <c>update()</c>. That is sooner, but three of four windows mistake a drift for an effect of the size.
    /// </summary>
    public bool EvaluateOncePerPeriod { get; init; }

    /// <summary>
    /// The number of samples of a wave before its first evaluation, <see cref="WavePeriod"/> to the whole history, at most 4,096, default 8. A higher value is
    /// more certain and slower.
    /// </summary>
    [OptionRange(4, 4_096, minimumOption: nameof(WavePeriod))]
    public int FirstEvaluationSamples { get; init; } = 8;

    /// <summary>
    /// Whether a jump that would pass a size known to be too small or too large is made in full, and the passed bound is discarded. Default false: the jump
    /// goes to the middle between the two bounds.
    /// </summary>
    public bool ForgetPassedBounds { get; init; }

    /// <summary>
    /// The number of threads that a jump down goes per unit of the real part, before any jump up has measured this scale, 0.1 to 100,000. Default not set:
    /// magnitude / <see cref="ValuableProgress"/>. A higher value leaves a falling curve faster and overshoots more.
    /// </summary>
    [OptionRange(0.1, 100_000.0)]
    public double? FirstDownScale { get; init; }

    /// <summary>The longest jump down: the size before divided by the size after, 1.01 to 1,000, default 16. A higher value overshoots more.</summary>
    [OptionRange(1.01, 1_000.0)]
    public double MaxDownRatio { get; init; } = 16;

    /// <summary>
    /// The number of consecutive samples outside the band that end the state Optimized, 1 to 1,000, default 1. A higher value ignores more noise and detects
    /// changes later.
    /// </summary>
    [OptionRange(1, 1_000)]
    public int SamplesOutOfBand { get; init; } = 1;

    /// <summary>
    /// Whether a steep decline is measured against the sample just before, whatever its size. At small sizes the wave itself is then a steep decline. Default
    /// false: it is measured against the sample at the same place of the wave one period earlier, if that had the same size.
    /// </summary>
    public bool CompareWithPreviousSample { get; init; }

    /// <summary>
    /// The loss of throughput that counts as unnaturally steep, as a share, 0.01 to 1, default 0.5 (the seed gives no threshold). A higher value reacts only to
    /// worse collapses; with one it never reacts.
    /// </summary>
    [OptionRange(0.01, 1.0)]
    public double SteepDecline { get; init; } = 0.5;

    /// <summary>
    /// Whether a search that the controller starts again begins with the size of its first start. Default false: with the present size. A size that was set
    /// from outside is always kept.
    /// </summary>
    public bool RestartFromInitialSize { get; init; }

    /// <summary>
    /// Whether the throughput between known sizes is predicted by a monotone cubic spline (PCHIP) through all known points, if there are three or more. Default
    /// false: by a straight line between the two neighbours.
    /// </summary>
    public bool SplineInterpolation { get; init; }

    /// <summary>
    /// The number of consecutive pairs that must miss their prediction before the workload counts as changed, 1 to 100, default 2 ("twice" in the seed). A
    /// higher value reacts less often and more slowly.
    /// </summary>
    [OptionRange(1, 100)]
    public int MissesInARow { get; init; } = 2;

    /// <summary>
    /// The maximum number of known pairs of size and throughput, 2 to 10,000, default 32. With more pairs the controller remembers for longer.
    /// </summary>
    [OptionRange(2, 10_000)]
    public int KnownPoints { get; init; } = 32;

    /// <summary>
    /// Checks every option against its range. Whether the <see cref="PlateauPoints"/> can be solved is checked when a controller, a pool or a gate is created
    /// with them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range. The message names the option, its value and the range.</exception>
    public void Validate() => OptionCheck.ThrowFirst(Failures());

    internal List<OptionFailure> Failures()
    {
        List<OptionFailure> outside = OptionCheck.Failures(this);
        return outside.Count > 0 ? outside : [.. Contradictions()];
    }

    /// <summary>Errors that no range detects, in options that are all within their ranges.</summary>
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
