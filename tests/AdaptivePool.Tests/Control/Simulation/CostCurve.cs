namespace AdaptivePool.Tests.Control.Simulation;

/// <summary>Throughput as a function of the number of threads, from a table with straight lines between its rows, or from a formula.</summary>
public sealed class CostCurve
{
    private const int Largest = 4096;
    private readonly Func<double, double> _throughput;
    private readonly double _cpuSecondsPerItem;
    private readonly double _cores;

    private CostCurve(string name, Func<double, double> throughput, double cores = 0, double cpuSecondsPerItem = 0)
    {
        Name = name;
        _throughput = throughput;
        _cores = cores;
        _cpuSecondsPerItem = cpuSecondsPerItem;
        for (int n = 1; n <= Largest; n++)
        {
            if (throughput(n) > Best)
            {
                Best = throughput(n);
            }
        }

        SmallestBestSize = Enumerable.Range(1, Largest).First(n => throughput(n) >= 0.99 * Best);
    }

    public string Name { get; }

    /// <summary>X*: the throughput of the best size.</summary>
    public double Best { get; }

    /// <summary>N*: the smallest size that gives 0.99 X*.</summary>
    public int SmallestBestSize { get; }

    public bool KnowsCpu => _cores > 0;

    /// <summary>The seed's pattern 1: rises to 48 threads, then falls.</summary>
    public static CostCurve Heavy48 { get; } = Table("heavy48", (1, 60), (8, 480), (24, 1350), (36, 1800), (48, 2000), (64, 1850), (96, 1400), (192, 700), (512, 250), (2048, 60));

    /// <summary>The seed's pattern 2: rises to 40 threads, then stays.</summary>
    public static CostCurve Light40 { get; } = Table("light40", (1, 50), (40, 2000), (4096, 2000));

    /// <summary>pgbench tpc-b over synchronous connections (design section 1).</summary>
    public static CostCurve Postgres { get; } = Table("postgres", (1, 1500), (2, 2800), (4, 4744), (8, 4700), (16, 5026), (64, 3900), (256, 2028), (1024, 353));

    /// <summary>0.2 ms of CPU and 20 ms of waiting on 2 cores: a knee near 200.</summary>
    public static CostCurve Io200 { get; } = new("io200", n => Math.Min(10_000, n / 0.0202), 2, 0.0002);

    /// <summary>Pure CPU on 2 cores: a knee at 2, then a slight loss for every further thread.</summary>
    public static CostCurve Cpu2 { get; } = new("cpu2", n => Math.Min(10_000, n * 5000) * (1 - Math.Min(0.5, 0.0004 * Math.Max(0, n - 2))), 2, 0.0002);

    /// <summary>A machine never used up because a lock behind it is: the model N / utilisation points the wrong way.</summary>
    public static CostCurve HiddenLock { get; } = new("hidden-lock", n => Math.Min(3000, n / 0.01) / (1 + (0.002 * Math.Max(0, n - 30))), 2, 0.0002);

    public static CostCurve Table(string name, params (int Threads, double Throughput)[] rows) => new(name, n => Interpolate(rows, n));

    public double Throughput(double threads) => _throughput(Math.Max(1, threads));

    public double Utilisation(double throughput) => KnowsCpu ? Math.Min(1, throughput * _cpuSecondsPerItem / _cores) : double.NaN;

    public override string ToString() => Name;

    private static double Interpolate((int Threads, double Throughput)[] rows, double n)
    {
        for (int i = 1; i < rows.Length; i++)
        {
            if (n <= rows[i].Threads)
            {
                double share = (n - rows[i - 1].Threads) / (rows[i].Threads - rows[i - 1].Threads);
                return rows[i - 1].Throughput + (share * (rows[i].Throughput - rows[i - 1].Throughput));
            }
        }

        return rows[^1].Throughput;
    }
}
