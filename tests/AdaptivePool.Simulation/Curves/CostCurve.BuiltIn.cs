namespace AdaptivePool.Simulation.Curves;

/// <content>The curves that everybody is measured on.</content>
public sealed partial class CostCurve
{
    private static readonly Lazy<CostCurve> s_emuIo = new(() => Emulated("emu-io", new()
    {
        Cores = 2, CpuSeconds = 0.0002, Channels = 8, ChannelSeconds = 0.004, LockSeconds = 0.00005, PenaltyPerThread = 0.0001,
    }));

    private static readonly Lazy<CostCurve> s_emuLock = new(() => Emulated("emu-lock", new()
    {
        Cores = 2, CpuSeconds = 0.0003, DelaySeconds = 0.02, LockSeconds = 0.00012, PenaltyPerThread = 0.0005,
    }));

    /// <summary>The seed's pattern 1: rises to 48 threads, then falls.</summary>
    public static CostCurve Heavy48 { get; } =
        Table("heavy48", (1, 60), (8, 480), (24, 1350), (36, 1800), (48, 2000), (64, 1850), (96, 1400), (192, 700), (512, 250), (2048, 60));

    /// <summary>The seed's pattern 2: rises to 40 threads, then stays.</summary>
    public static CostCurve Light40 { get; } = Table("light40", (1, 50), (40, 2000), (4096, 2000));

    /// <summary>pgbench tpc-b over synchronous connections, as measured: size, transactions per second.</summary>
    public static CostCurve Postgres { get; } = Table("postgres", (1, 1500), (2, 2800), (4, 4744), (8, 4700), (16, 5026), (64, 3900), (256, 2028), (1024, 353));

    /// <summary>
    /// A database of 2 GB of memory at 2,560 clients, throughput by the size of its pool (Percona's published runs). Past 160 no measurement: a line to what
    /// the same server gives without a pool.
    /// </summary>
    public static CostCurve Tier2Gb { get; } =
        Table("tier-2gb", (10, 2043), (20, 2184), (40, 1508), (80, 789), (120, 567), (160, 463), (1024, 150), (2560, 129));

    /// <summary>The same with 12 GB.</summary>
    public static CostCurve Tier12Gb { get; } = Table("tier-12gb", (10, 3915), (20, 5655), (40, 4989), (80, 2576), (120, 1915), (160, 1591), (2560, 847));

    /// <summary>The same with 32 GB: everything in memory. Past 160 no measurement: it goes on to fall slowly.</summary>
    public static CostCurve Tier32Gb { get; } =
        Table("tier-32gb", (10, 7420), (20, 13113), (40, 15896), (80, 15822), (120, 15662), (160, 15519), (1024, 14300), (2560, 12100));

    /// <summary>Pure CPU on 2 cores: a knee at 2, then a slight loss for every further thread.</summary>
    public static CostCurve Cpu2 { get; } =
        new("cpu2", n => Math.Min(10_000, n * 5000) * (1 - Math.Min(0.5, 0.0004 * Math.Max(0, n - 2))), 2, 0.0002, (n, _) => n);

    /// <summary>0.2 ms of CPU within 20 ms on 2 cores: a knee at 200.</summary>
    public static CostCurve Io200 { get; } = new("io200", n => Math.Min(10_000, n / 0.02), 2, 0.0002, (n, x) => n - (0.0198 * x), sleeps: true);

    /// <summary>2 cores x 0.2 ms, 8 I/O channels x 4 ms, a lock of 0.05 ms: the channels are the limit.</summary>
    public static CostCurve EmuIo => s_emuIo.Value;

    /// <summary>2 cores x 0.3 ms, a delay of 20 ms, a lock of 0.12 ms, and a loss of 0.05 % for every thread.</summary>
    public static CostCurve EmuLock => s_emuLock.Value;

    /// <summary>A machine never used up because a lock behind it is: the model N / utilisation points the wrong way.</summary>
    public static CostCurve HiddenLock { get; } =
        new("hidden-lock", n => Math.Min(3000, n / 0.01) / (1 + (0.002 * Math.Max(0, n - 30))), 2, 0.0002, (_, x) => 0.0002 * x);

    /// <summary>All of them, in the order of tables.</summary>
    public static IReadOnlyList<CostCurve> BuiltIn => [Heavy48, Light40, Postgres, Tier2Gb, Tier12Gb, Tier32Gb, Cpu2, Io200, EmuIo, EmuLock];
}
