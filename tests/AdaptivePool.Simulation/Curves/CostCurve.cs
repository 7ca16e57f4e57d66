namespace AdaptivePool.Simulation.Curves;

/// <summary>Throughput as a function of the number of threads, from a table, a formula or emulated resources; and what it says of the CPU, if
/// anything.</summary>
public sealed partial class CostCurve
{
    private const int Largest = 4096;
    private const double NearBest = 0.99;
    private readonly double[] _throughput = new double[Largest + 1];
    private readonly double[] _runnable = [];
    private readonly double _cpuSecondsPerItem;
    private readonly int _top;

    private CostCurve(string name, Func<double, double> throughput, double cores = 0, double cpuSecondsPerItem = 0,
        Func<double, double, double>? runnable = null, bool sleeps = false)
    {
        Name = name;
        Cores = cores;
        Sleeps = sleeps;
        _cpuSecondsPerItem = cpuSecondsPerItem;
        for (int n = 1; n <= Largest; n++)
        {
            _throughput[n] = throughput(n);
            if (_throughput[n] > Best)
            {
                Best = _throughput[n];
                _top = n;
            }
        }

        SmallestBestSize = Array.FindIndex(_throughput, x => x >= NearBest * Best);
        if (runnable is not null)
        {
            _runnable = [.. _throughput.Select((x, n) => runnable(n, x))];
        }
    }

    /// <summary>Name in results.</summary>
    public string Name { get; }

    /// <summary>X*: the throughput of the best size.</summary>
    public double Best { get; }

    /// <summary>N*: the smallest size that gives 0.99 X*.</summary>
    public int SmallestBestSize { get; }

    /// <summary>Cores of the emulated machine; zero when the curve says nothing of CPU.</summary>
    public double Cores { get; }

    /// <summary>Whether a thread that does not run waits for a time or for a lock of the process, and for no server: a pool sees it sleep.</summary>
    public bool Sleeps { get; }

    /// <summary>Whether the curve says how much CPU an item takes.</summary>
    public bool KnowsCpu => Cores > 0;

    /// <summary>A curve from a table with straight lines.</summary>
    public static CostCurve Table(string name, params (int Threads, double Throughput)[] rows) => Table(name, rows, CurveInterpolation.Linear);

    /// <summary>A curve from a table.</summary>
    public static CostCurve Table(string name, IReadOnlyList<(int Threads, double Throughput)> rows, CurveInterpolation interpolation)
        => new(name, CurveTable.ToFunction(name, rows, interpolation));

    /// <summary>A curve from a formula that says nothing of CPU.</summary>
    public static CostCurve Formula(string name, Func<double, double> throughput) => new(name, throughput);

    /// <summary>A curve from a formula, of a machine whose CPU is known.</summary>
    /// <param name="name">Name in results.</param>
    /// <param name="throughput">Completions per second of a number of threads.</param>
    /// <param name="cores">Cores of this machine.</param>
    /// <param name="cpuSecondsPerItem">CPU for an item on it, in seconds.</param>
    /// <param name="runnable">Threads that hold or wait for a core, of a number of threads and their completions per second.</param>
    /// <param name="sleeps">Whether the others sleep (<see cref="Sleeps"/>).</param>
    public static CostCurve Machine(string name, Func<double, double> throughput, double cores, double cpuSecondsPerItem,
        Func<double, double, double> runnable, bool sleeps) => new(name, throughput, cores, cpuSecondsPerItem, runnable, sleeps);

    /// <summary>A curve from emulated resources.</summary>
    public static CostCurve Emulated(string name, EmulatedResources resources)
    {
        (double[] throughput, double[] runnable) = resources.Solve(Largest);
        return new(name, n => throughput[(int)n], resources.Cores, resources.CpuSeconds, (n, _) => runnable[(int)n], resources.Channels <= 0);
    }

    /// <summary>Completions per second of a settled size; fractions of a thread occur while threads leave.</summary>
    public double Throughput(double threads)
    {
        double n = Math.Clamp(threads, 1, Largest);
        int below = (int)n;
        double share = n - below;
        return share == 0 ? _throughput[below] : _throughput[below] + (share * (_throughput[below + 1] - _throughput[below]));
    }

    /// <summary>Own CPU use over the CPU of all cores at a rate of completions; NaN when the curve says nothing of CPU.</summary>
    public double Utilisation(double throughput) => KnowsCpu ? Math.Min(1, throughput * _cpuSecondsPerItem / Cores) : double.NaN;

    /// <summary>Of so many threads that hold an item, those that run or wait for a core; NaN when the curve says nothing of CPU.</summary>
    public double Runnable(double threads)
        => KnowsCpu ? Math.Min(threads, _runnable[(int)Math.Clamp(Math.Round(threads), 1, Largest)]) : double.NaN;

    /// <summary>The smallest size that carries a rate, on the rise of the curve; the top when none does.</summary>
    public int SizeFor(double throughput)
    {
        int low = 1;
        int high = _top;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_throughput[middle] >= throughput)
            {
                high = middle;
            }
            else
            {
                low = middle + 1;
            }
        }

        return low;
    }

    /// <inheritdoc/>
    public override string ToString() => Name;
}
