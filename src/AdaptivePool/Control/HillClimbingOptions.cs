namespace AdaptivePool.Control;

/// <summary>
/// Parameters of the <see cref="HillClimbingController"/>. The defaults suit a pool whose size is near right already (relative, probing downwards first);
/// <see cref="SeedWave"/> is the controller of the founding document.
/// </summary>
public sealed record HillClimbingOptions
{
    /// <summary>
    /// Which search decides. Default <see cref="ControllerProfile.Adaptive"/>; the other one uses <see cref="Seed"/> and none of the options below.
    /// </summary>
    public ControllerProfile Profile { get; init; } = ControllerProfile.Adaptive;

    /// <summary>
    /// Whether the controller decides at all (the seed's <c>hcm_hillclimbing_enabled</c>). Default true: unlike the seed's server module, a controller that was
    /// created is wanted. False keeps whatever size is in force.
    /// </summary>
    public bool Enabled { get; init; } = true;

    /// <summary>
    /// Whether the decisions go to the decision log (the seed's <c>hcm_log_enabled</c>). Default true: unlike the seed's, the log is only written where its
    /// owner names a file for it, and false switches it off in spite of that. The controller itself writes nothing.
    /// </summary>
    public bool LogEnabled { get; init; } = true;

    /// <summary>Parameters of <see cref="ControllerProfile.SeedWave"/>. Default: those of the founding document. Not <see langword="null"/>.</summary>
    public SeedWaveOptions Seed { get; init; } = new();

    /// <summary>
    /// Longest step upwards: size tried over present size, 1.05 to 4, default 1.3. Higher climbs faster where only throughput is known, and overshoots more.
    /// </summary>
    [OptionRange(1.05, 4.0)]
    public double MaxUpRatio { get; init; } = 1.3;

    /// <summary>
    /// Threads per core up to which a step upwards may be fourfold, 0 to 64, default 8: far enough to see across a dip of the curve, where a few threads more
    /// cannot hurt. Zero keeps every step within
    /// <see cref="MaxUpRatio"/>, higher sees across dips of bigger pools.
    /// </summary>
    [OptionRange(0.0, 64.0)]
    public double LookAheadPerCore { get; init; } = 8;

    /// <summary>Longest step downwards: present size over size tried, 1.05 to 64, default 8. Higher leaves a cliff faster and tries smaller pools.</summary>
    [OptionRange(1.05, 64.0)]
    public double MaxDownRatio { get; init; } = 8;

    /// <summary>Expected improvement of throughput under which the search rests, 0.00001 to 1, default 0.001. Higher rests earlier.</summary>
    [OptionRange(0.00001, 1.0)]
    public double MinImprovement { get; init; } = 0.001;

    /// <summary>Length of the first rest, in samples, 1 to 100,000, default 8.</summary>
    [OptionRange(1, 100_000)]
    public int FirstRestSamples { get; init; } = 8;

    /// <summary>
    /// Length of the longest rest, in samples, 1 to 100,000 and not under <see cref="FirstRestSamples"/>, default 128. Higher costs less and sees changes
    /// later.
    /// </summary>
    [OptionRange(1, 100_000, MinimumOption = nameof(FirstRestSamples))]
    public int MaxRestSamples { get; init; } = 128;

    /// <summary>Completions a sample should hold at least, 0 to 1,000,000, default 60. Higher is less noisy and slower.</summary>
    [OptionRange(0.0, 1_000_000.0)]
    public double MinSampleCompletions { get; init; } = 60;

    /// <summary>Completions a sample should hold per thread, 0 to 100, default 0.5. Higher lets big pools settle better within a sample.</summary>
    [OptionRange(0.0, 100.0)]
    public double SampleCompletionsPerThread { get; init; } = 0.5;

    /// <summary>
    /// Completions per thread that are dropped after a change of size, 0 to 100, default 1; zero drops no sample. Lower is faster, but lag turns the real part
    /// into the imaginary one.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double SettleCompletionsPerThread { get; init; } = 1;

    /// <summary>Length of a sample in service times when even <see cref="MaxSampleInterval"/> holds too few completions, 1.5 to 4, default 2.</summary>
    [OptionRange(1.5, 4.0)]
    public double SlowSampleServiceTimes { get; init; } = 2;

    /// <summary>Whether the model N / utilisation may propose sizes when the utilisation is known. Default true.</summary>
    public bool ModelJump { get; init; } = true;

    /// <summary>Utilisation from which the model has nothing to say, 0.01 to 1, default 0.93.</summary>
    [OptionRange(0.01, 1.0)]
    public double MaxModelUtilisation { get; init; } = 0.93;

    /// <summary>Longest model jump as a ratio of the present size, 1.01 to 16, default 4.</summary>
    [OptionRange(1.01, 16.0)]
    public double MaxModelRatio { get; init; } = 4;

    /// <summary>Share of the promised logarithmic gain that a model jump must bring to be kept, 0 to 1, default 0.5. Higher refuses more.</summary>
    [OptionRange(0.0, 1.0)]
    public double ModelGainShare { get; init; } = 0.5;

    /// <summary>
    /// Connections per thread under which a jump up is refused as false, 0 to 100, default 0.2 (seed 000, "False jump"). Zero refuses nothing.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double MinConnectionsPerThread { get; init; } = 0.2;

    /// <summary>Shortest measuring sample, 1 ms to 1 hour, default 30 ms.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan MinSampleInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>
    /// Longest measuring sample, 1 ms to 1 hour and not under <see cref="MinSampleInterval"/>, default 1 s. Exceeded, up to 30 times, only where it would be
    /// shorter than <see cref="SlowSampleServiceTimes"/>.
    /// </summary>
    [OptionRange("00:00:00.001", "01:00:00", MinimumOption = nameof(MinSampleInterval))]
    public TimeSpan MaxSampleInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Shortest settling sample, 1 ms to 1 hour, default 5 ms.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan MinSettleInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// The controller of the founding document with its parameters: <see cref="Profile"/> is <see cref="ControllerProfile.SeedWave"/>, the rest as by default.
    /// </summary>
    public static HillClimbingOptions SeedWave { get; } = new() { Profile = ControllerProfile.SeedWave };

    /// <summary>Checks every option against its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range; the message names the option, its value and the range.</exception>
    public void Validate() => OptionCheck.ThrowFirst(Failures());

    internal OptionFailure[] Failures() =>
    [
        .. OptionCheck.Failures(this),
        .. Seed is null ? [OptionCheck.Failure(nameof(Seed), Seed, "not null")] : OptionCheck.Within(nameof(Seed), Seed.Failures()),
    ];
}
