namespace AdaptivePool.Control;

/// <summary>
/// Parameters of the <see cref="HillClimbingController"/>. The defaults suit a pool whose size is already nearly right (steps relative to the size, smaller
/// sizes are probed first). <see cref="SeedWave"/> is the controller of the founding document.
/// </summary>
public sealed record HillClimbingOptions
{
    /// <summary>
    /// The search that decides. Default <see cref="ControllerProfile.Adaptive"/>. The other profile uses <see cref="Seed"/>, and of the options below only
    /// <see cref="Enabled"/> and <see cref="LogEnabled"/>.
    /// </summary>
    public ControllerProfile Profile { get; init; } = ControllerProfile.Adaptive;

    /// <summary>
    /// Whether the controller makes decisions (the seed's <c>hcm_hillclimbing_enabled</c>). Default true: unlike in the seed's server module, a controller that
    /// was created is wanted. False keeps the current size, whatever it is.
    /// </summary>
    public bool Enabled { get; init; } = true;

    /// <summary>
    /// Whether the decisions of the search of a pool or gate with these options go to the decision log (the seed's <c>hcm_log_enabled</c>). Default true:
    /// unlike the seed's log, this log is only written if its owner names a file for it. False turns the log off even then. The controller itself writes
    /// nothing: where it is created by a function of your own, the option has no effect.
    /// </summary>
    public bool LogEnabled { get; init; } = true;

    /// <summary>Parameters of <see cref="ControllerProfile.SeedWave"/>. Default: the parameters of the founding document. Not <see langword="null"/>.</summary>
    public SeedWaveOptions Seed { get; init; } = new();

    /// <summary>
    /// The longest step upwards: the size to try divided by the present size, 1.05 to 4, default 1.3. A higher value climbs faster where only the throughput is
    /// known, and overshoots more.
    /// </summary>
    [OptionRange(1.05, 4.0)]
    public double MaxUpRatio { get; init; } = 1.3;

    /// <summary>
    /// The number of threads per core up to which a step upwards may be fourfold, 0 to 64, default 8. This is far enough to see across a dip of the curve, at
    /// sizes where a few more threads do no harm. Zero keeps every step within <see cref="MaxUpRatio"/>. A higher value sees across dips of larger pools.
    /// </summary>
    [OptionRange(0.0, 64.0)]
    public double LookAheadPerCore { get; init; } = 8;

    /// <summary>
    /// The longest step downwards: the present size divided by the size to try, 1.05 to 64, default 8. A higher value leaves a cliff of the curve faster and
    /// tries smaller pools.
    /// </summary>
    [OptionRange(1.05, 64.0)]
    public double MaxDownRatio { get; init; } = 8;

    /// <summary>
    /// The expected improvement of throughput below which the search rests, 0.00001 to 1, default 0.001. With a higher value it rests earlier.
    /// </summary>
    [OptionRange(0.00001, 1.0)]
    public double MinImprovement { get; init; } = 0.001;

    /// <summary>The length of the first rest, in samples, 1 to 100,000, default 8.</summary>
    [OptionRange(1, 100_000)]
    public int FirstRestSamples { get; init; } = 8;

    /// <summary>
    /// The length of the longest rest, in samples, 1 to 100,000 and not less than <see cref="FirstRestSamples"/>, default 128. A higher value costs less and
    /// detects changes later.
    /// </summary>
    [OptionRange(1, 100_000, minimumOption: nameof(FirstRestSamples))]
    public int MaxRestSamples { get; init; } = 128;

    /// <summary>The minimum number of completions in a sample, 0 to 1,000,000, default 60. A higher value is less noisy and slower.</summary>
    [OptionRange(0.0, 1_000_000.0)]
    public double MinSampleCompletions { get; init; } = 60;

    /// <summary>
    /// The number of completions per thread that a sample should have, 0 to 100, default 0.5. A higher value lets large pools settle better within a sample.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double SampleCompletionsPerThread { get; init; } = 0.5;

    /// <summary>
    /// The number of completions per thread that are discarded after a change of size, 0 to 100, default 1; zero discards no sample. A lower value is faster,
    /// but a delayed effect turns the real part into the imaginary part.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double SettleCompletionsPerThread { get; init; } = 1;

    /// <summary>The length of a sample in service times if even <see cref="MaxSampleInterval"/> contains too few completions, 1.5 to 4, default 2.</summary>
    [OptionRange(1.5, 4.0)]
    public double SlowSampleServiceTimes { get; init; } = 2;

    /// <summary>Whether the model N / utilisation may propose sizes when the utilisation is known. Default true.</summary>
    public bool ModelJump { get; init; } = true;

    /// <summary>The utilisation from which the model makes no proposal, 0.01 to 1, default 0.93.</summary>
    [OptionRange(0.01, 1.0)]
    public double MaxModelUtilisation { get; init; } = 0.93;

    /// <summary>The longest model jump as a ratio of the present size, 1.01 to 16, default 4.</summary>
    [OptionRange(1.01, 16.0)]
    public double MaxModelRatio { get; init; } = 4;

    /// <summary>
    /// The share of the predicted logarithmic gain that a model jump must bring to be kept, 0 to 1, default 0.5. A higher value refuses more jumps.
    /// </summary>
    [OptionRange(0.0, 1.0)]
    public double ModelGainShare { get; init; } = 0.5;

    /// <summary>
    /// The number of connections per thread below which a jump up is refused as false, 0 to 100, default 0.2 (seed 000, "False jump"). Zero refuses nothing.
    /// </summary>
    [OptionRange(0.0, 100.0)]
    public double MinConnectionsPerThread { get; init; } = 0.2;

    /// <summary>The shortest measuring sample, 1 ms to 1 hour, default 30 ms.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan MinSampleInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>
    /// The longest measuring sample, 1 ms to 1 hour and not less than <see cref="MinSampleInterval"/>, default 1 s. A sample is longer, up to 30 times, only if
    /// it would otherwise be shorter than <see cref="SlowSampleServiceTimes"/>.
    /// </summary>
    [OptionRange("00:00:00.001", "01:00:00", minimumOption: nameof(MinSampleInterval))]
    public TimeSpan MaxSampleInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The shortest settling sample, 1 ms to 1 hour, default 5 ms.</summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan MinSettleInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// The controller of the founding document with its parameters: <see cref="Profile"/> is <see cref="ControllerProfile.SeedWave"/>, and all other options
    /// have their defaults.
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
