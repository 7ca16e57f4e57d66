using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation.Golden;

/// <summary>A run that golden traces are recorded of: what decides a size, on virtual time, with a fixed seed.</summary>
/// <param name="File">Name of the file that has its traces, without extension.</param>
/// <param name="Replay">Runs it; one trace for each class.</param>
public sealed record GoldenRun(string File, Func<IReadOnlyList<GoldenTrace>> Replay)
{
    private const double ClimbSeconds = 120;
    private const double ClassSeconds = 40;
    private const string SeedWave = "seed-wave";
    private const int SeedWaveStart = 72;
    private static readonly int[] s_starts = [1, 72, 512, 2_048];

    /// <summary>All runs: the situations that a class meets in a pool, and what each curve of <c>climb</c> is climbed like.</summary>
    public static IReadOnlyList<GoldenRun> All { get; } =
    [
        .. GoldenSituations.All.Select(static s => new GoldenRun("situations", s)),
        .. CostCurve.BuiltIn.SelectMany(static curve => s_starts.Select(start => Climb("climb", Comparators.Search, curve, start))),
        .. CostCurve.BuiltIn.SelectMany(static curve => s_starts.Select(start => Climb("climb-class", Comparators.InForce, curve, start, ClassSeconds))),
        .. CostCurve.BuiltIn.Select(static curve => Climb("climb-" + SeedWave, SeedWave, curve, SeedWaveStart)),
    ];

    /// <summary>Runs again what a file has and says what is otherwise.</summary>
    /// <param name="folder">Where the files are.</param>
    /// <param name="file">Name of the file, without extension.</param>
    /// <exception cref="FormatException">The file cannot be read, or has other runs than there are.</exception>
    public static IReadOnlyList<GoldenDifference> Compare(string folder, string file)
    {
        string path = PathOf(folder, file);
        IReadOnlyList<GoldenTrace> recorded = GoldenFile.Read(path);
        IReadOnlyList<GoldenTrace> present = Traces(file);
        return recorded.Select(static t => t.Name).SequenceEqual(present.Select(static t => t.Name), StringComparer.Ordinal)
            ? [.. recorded.Zip(present, static (r, p) => new GoldenDifference(r, p))]
            : throw new FormatException($"{path} has other runs than there are now; record them again.");
    }

    /// <summary>Runs everything and replaces the files.</summary>
    /// <param name="folder">Where the files are.</param>
    public static void Record(string folder)
    {
        foreach (string file in Files)
        {
            GoldenFile.Write(PathOf(folder, file), Traces(file));
        }
    }

    /// <summary>Names of the files, without extension.</summary>
    public static IReadOnlyList<string> Files { get; } = [.. All.Select(static r => r.File).Distinct(StringComparer.Ordinal)];

    private static GoldenTrace[] Traces(string file) => [.. All.Where(r => r.File == file).AsParallel().AsOrdered().SelectMany(static r => r.Replay())];

    private static string PathOf(string folder, string file) => Path.Combine(folder, file + ".txt");

    private static GoldenRun Climb(string file, string controller, CostCurve curve, int start, double seconds = ClimbSeconds) => new(file, () =>
    {
        SimulationSettings settings = new() { Seed = start };
        ClimbRun run = Comparators.Run(controller, curve, settings, start, seconds);
        return
        [
            GoldenTrace.Of(FormattableString.Invariant($"{curve.Name} from {start}"), seconds, run.Points[^1].Delivered, start,
                run.Events.Select(static e => (e.Time, e.Target, e.Reason.ToString()))),
        ];
    });
}
