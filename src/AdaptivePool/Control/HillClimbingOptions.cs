namespace AdaptivePool.Control;

/// <summary>
/// Parameters of the <see cref="HillClimbingController"/>. The defaults suit a pool whose size is near right already (relative, probing downwards first);
/// <see cref="SeedWave"/> are those of the founding document.
/// </summary>
public sealed record HillClimbingOptions
{
    /// <summary>How readings of the wave become decisions. Default <see cref="EvidenceKind.Sequential"/>.</summary>
    public EvidenceKind Evidence { get; init; } = EvidenceKind.Sequential;

    /// <summary>Unit of the height of the wave. Default <see cref="WaveMagnitude.Relative"/>, the only one for <see cref="EvidenceKind.Sequential"/>.</summary>
    public WaveMagnitude Magnitude { get; init; } = WaveMagnitude.Relative;

    /// <summary>Samples in one period of the wave; a multiple of 4 from 4 to 64, default 4 (the seed's <c>wave_period</c>). A longer period settles better and decides later.</summary>
    public int WavePeriod { get; init; } = 4;

    /// <summary>Periods kept in the history, 2 to 64, default 8 (the seed's <c>samples_to_wave_period_ratio</c>). Used by <see cref="EvidenceKind.Accumulated"/>: more periods are less noisy and slower to follow.</summary>
    public int SamplesToWavePeriodRatio { get; init; } = 8;

    /// <summary>Height of a relative wave: higher size over lower size, 1.01 to 2, default 1.25. It is also the longest jump up. A higher wave is easier to see and costs more.</summary>
    public double WaveRatio { get; init; } = 1.25;

    /// <summary>First height of an absolute wave, in threads, 1 to 32,767, default 10 (the seed's <c>hcm_min_thread_wave_magnitude</c>).</summary>
    public int MinWaveMagnitude { get; init; } = 10;

    /// <summary>Greatest height of an absolute wave, in threads, 1 to 32,767 and not under <see cref="MinWaveMagnitude"/>, default 80 (the seed's <c>hcm_max_thread_wave_magnitude</c>).</summary>
    public int MaxWaveMagnitude { get; init; } = 80;

    /// <summary>Sum of normalised real parts that triggers a change with <see cref="EvidenceKind.Accumulated"/>, and the scale of the first jump down, 0.001 to 100, default 0.2 (the seed's <c>hcm_ccs_valuable_progress</c>). Higher is slower and surer.</summary>
    public double ValuableProgress { get; init; } = 0.2;

    /// <summary>Relative change of throughput that ends a rest early when it is seen twice in a row, 0.01 to 10, default 0.2 (the seed's <c>hcm_valuable_diff</c>). Higher is calmer and blinder.</summary>
    public double ValuableDifference { get; init; } = 0.2;

    /// <summary>Relative gain that a jump up must exceed to be worth it, 0 to 1, default 0.007. Higher keeps the pool smaller.</summary>
    public double MinGain { get; init; } = 0.007;

    /// <summary>Relative loss of throughput, against the best size known nearby, that a smaller pool may cost, 0 to 1, default 0.01. Higher keeps the pool smaller.</summary>
    public double MaxLoss { get; init; } = 0.01;

    /// <summary>Standard deviations by which a gain must exceed <see cref="MinGain"/> before a jump up, 0 to 10, default 1.8, and up to 1.5 times as many where the gain is small. Grow only on proof: higher is surer and slower.</summary>
    public double UpConfidence { get; init; } = 1.8;

    /// <summary>Standard deviations by which a loss must stay under <see cref="MaxLoss"/> before a jump down, 0 to 10, default 1.2. Lower shrinks earlier and errs more often.</summary>
    public double DownConfidence { get; init; } = 1.2;

    /// <summary>Standard deviations at which growth counts as decided against (0.7 of it for shrinking), 0 to 10, default 2. Higher probes longer before resting.</summary>
    public double SettledConfidence { get; init; } = 2;

    /// <summary>Share of its weight that a reading keeps when the next one comes, 0.5 to 1, default 0.997: about 300 periods. Higher is more exact, lower follows changes.</summary>
    public double EvidenceMemory { get; init; } = 0.997;

    /// <summary>Standard deviation of the elasticity assumed before anything was measured, 0.01 to 10, default 0.7. Higher believes the first readings more.</summary>
    public double PriorDeviation { get; init; } = 0.7;

    /// <summary>Every how many probes the side that is not in question is probed, 2 to 1,000, default 5. Higher makes upward probes rarer.</summary>
    public int OtherSideEvery { get; init; } = 5;

    /// <summary>Periods after which an upward probe without a promising mean is given up until after the next rest, 1 to 1,000, default 12; up to four times as many where the curve rises below the present size. Higher finds slow rises and probes upwards more.</summary>
    public int UpPatience { get; init; } = 12;

    /// <summary>Longest jump down: size before over size after, 1.01 to 16, default 2. Higher leaves a cliff faster and overshoots more.</summary>
    public double MaxDownRatio { get; init; } = 2;

    /// <summary>Length of the first rest, in samples, 1 to 100,000, default 8.</summary>
    public int FirstRestSamples { get; init; } = 8;

    /// <summary>Length of the longest rest, in samples, 1 to 100,000 and not under <see cref="FirstRestSamples"/>, default 128. Higher costs less and sees changes later.</summary>
    public int MaxRestSamples { get; init; } = 128;

    /// <summary>Completions a sample should hold at least, 0 to 1,000,000, default 60. Higher is less noisy and slower.</summary>
    public double MinSampleCompletions { get; init; } = 60;

    /// <summary>Completions a sample should hold per thread, 0 to 100, default 0.5. Higher lets big pools settle better within a sample.</summary>
    public double SampleCompletionsPerThread { get; init; } = 0.5;

    /// <summary>Completions per thread that are dropped after a change of size, 0 to 100, default 1; zero drops no sample. Lower is faster, but lag turns the real part into the imaginary one.</summary>
    public double SettleCompletionsPerThread { get; init; } = 1;

    /// <summary>Length of a sample in service times when even <see cref="MaxSampleInterval"/> holds too few completions, 1.5 to 4, default 2.</summary>
    public double SlowSampleServiceTimes { get; init; } = 2;

    /// <summary>Whether the model N / utilisation may propose sizes when the utilisation is known. Default true.</summary>
    public bool ModelJump { get; init; } = true;

    /// <summary>Utilisation from which the model has nothing to say, 0.01 to 1, default 0.93.</summary>
    public double MaxModelUtilisation { get; init; } = 0.93;

    /// <summary>Longest model jump as a ratio of the present size, 1.01 to 16, default 4.</summary>
    public double MaxModelRatio { get; init; } = 4;

    /// <summary>Share of the promised logarithmic gain that a model jump must bring to be kept, 0 to 1, default 0.5. Higher refuses more.</summary>
    public double ModelGainShare { get; init; } = 0.5;

    /// <summary>Connections per thread under which a jump up is refused as false, 0 to 100, default 0.2 (seed 000, "False jump"). Zero refuses nothing.</summary>
    public double MinConnectionsPerThread { get; init; } = 0.2;

    /// <summary>Shortest measuring sample, 1 ms to 1 hour, default 30 ms.</summary>
    public TimeSpan MinSampleInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>
    /// Longest measuring sample, 1 ms to 1 hour and not under <see cref="MinSampleInterval"/>, default 1 s. Exceeded, up to 30 times, only where it would be shorter
    /// than <see cref="SlowSampleServiceTimes"/>.
    /// </summary>
    public TimeSpan MaxSampleInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Shortest settling sample, 1 ms to 1 hour, default 5 ms.</summary>
    public TimeSpan MinSettleInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// The wave of the founding document: upwards only, 10 threads growing to 80, period 4, history of 8 periods, one sample every 2 s (<c>hcm_period</c>), accumulated
    /// progress of 0.2, nothing dropped, no model. At the greatest magnitude it keeps waving.
    /// </summary>
    public static HillClimbingOptions SeedWave { get; } = new()
    {
        Evidence = EvidenceKind.Accumulated,
        Magnitude = WaveMagnitude.Absolute,
        MinSampleCompletions = 0,
        SampleCompletionsPerThread = 0,
        SettleCompletionsPerThread = 0,
        MinSampleInterval = TimeSpan.FromSeconds(2),
        MaxSampleInterval = TimeSpan.FromSeconds(2),
        ModelJump = false,
        MaxDownRatio = 16,
    };

    /// <summary>Checks every option against its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range; the message names the option, its value and the range.</exception>
    public void Validate()
    {
        if (!Enum.IsDefined(Evidence))
        {
            throw Outside(nameof(Evidence), Evidence, "Sequential or Accumulated");
        }

        if (!Enum.IsDefined(Magnitude))
        {
            throw Outside(nameof(Magnitude), Magnitude, "Relative or Absolute");
        }

        Check(nameof(WavePeriod), WavePeriod, 4, 64);
        Check(nameof(SamplesToWavePeriodRatio), SamplesToWavePeriodRatio, 2, 64);
        Check(nameof(WaveRatio), WaveRatio, 1.01, 2);
        Check(nameof(MinWaveMagnitude), MinWaveMagnitude, 1, 32767);
        Check(nameof(MaxWaveMagnitude), MaxWaveMagnitude, 1, 32767);
        Check(nameof(ValuableProgress), ValuableProgress, 0.001, 100);
        Check(nameof(ValuableDifference), ValuableDifference, 0.01, 10);
        Check(nameof(MinGain), MinGain, 0, 1);
        Check(nameof(MaxLoss), MaxLoss, 0, 1);
        Check(nameof(UpConfidence), UpConfidence, 0, 10);
        Check(nameof(DownConfidence), DownConfidence, 0, 10);
        Check(nameof(SettledConfidence), SettledConfidence, 0, 10);
        Check(nameof(EvidenceMemory), EvidenceMemory, 0.5, 1);
        Check(nameof(PriorDeviation), PriorDeviation, 0.01, 10);
        Check(nameof(OtherSideEvery), OtherSideEvery, 2, 1000);
        Check(nameof(UpPatience), UpPatience, 1, 1000);
        Check(nameof(MaxDownRatio), MaxDownRatio, 1.01, 16);
        Check(nameof(FirstRestSamples), FirstRestSamples, 1, 100000);
        Check(nameof(MaxRestSamples), MaxRestSamples, 1, 100000);
        Check(nameof(MinSampleCompletions), MinSampleCompletions, 0, 1000000);
        Check(nameof(SampleCompletionsPerThread), SampleCompletionsPerThread, 0, 100);
        Check(nameof(SettleCompletionsPerThread), SettleCompletionsPerThread, 0, 100);
        Check(nameof(SlowSampleServiceTimes), SlowSampleServiceTimes, 1.5, 4);
        Check(nameof(MaxModelUtilisation), MaxModelUtilisation, 0.01, 1);
        Check(nameof(MaxModelRatio), MaxModelRatio, 1.01, 16);
        Check(nameof(ModelGainShare), ModelGainShare, 0, 1);
        Check(nameof(MinConnectionsPerThread), MinConnectionsPerThread, 0, 100);
        Check(nameof(MinSampleInterval), MinSampleInterval);
        Check(nameof(MaxSampleInterval), MaxSampleInterval);
        Check(nameof(MinSettleInterval), MinSettleInterval);
        if (WavePeriod % 4 != 0)
        {
            throw Outside(nameof(WavePeriod), WavePeriod, "a multiple of 4 from 4 to 64");
        }

        if (Magnitude == WaveMagnitude.Absolute && Evidence == EvidenceKind.Sequential)
        {
            throw Outside(nameof(Magnitude), Magnitude, "Relative while Evidence is Sequential");
        }

        CheckOrder(nameof(MaxWaveMagnitude), MaxWaveMagnitude, nameof(MinWaveMagnitude), MinWaveMagnitude);
        CheckOrder(nameof(MaxRestSamples), MaxRestSamples, nameof(FirstRestSamples), FirstRestSamples);
        CheckOrder(nameof(MaxSampleInterval), MaxSampleInterval, nameof(MinSampleInterval), MinSampleInterval);
    }

    private static void Check(string name, double value, double min, double max)
    {
        if (!(value >= min && value <= max))
        {
            throw Outside(name, value, FormattableString.Invariant($"{min} to {max}"));
        }
    }

    private static void Check(string name, TimeSpan value)
    {
        if (value < TimeSpan.FromMilliseconds(1) || value > TimeSpan.FromHours(1))
        {
            throw Outside(name, value, "00:00:00.001 to 01:00:00");
        }
    }

    private static void CheckOrder<T>(string name, T value, string lowerName, T lower)
        where T : IComparable<T>
    {
        if (value.CompareTo(lower) < 0)
        {
            throw Outside(name, value, FormattableString.Invariant($"{lowerName} ({lower}) or more"));
        }
    }

    private static ArgumentOutOfRangeException Outside(string name, object? value, string range)
        => new(name, value, FormattableString.Invariant($"{name} is {value}; it must be {range}."));
}
