using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>What a run of <c>climb</c> is to simulate.</summary>
public sealed record ClimbOptions
{
    /// <summary>The options on the command line.</summary>
    public static IReadOnlyList<ScenarioOption> Known { get; } =
    [
        new("--curve", "Comma-separated curves in place of the built-in ones: files of lines threads,throughput (a header line is optional), names of "
            + "built-in curves, or random-SEED for a random curve."),
        new("--interpolation", "What lies between the rows of a file: linear (default), spline (monotone) or natural-spline."),
        new("--start", "Comma-separated sizes to start from; default 1,2,8,72,512,2048 (--quick: 2,72,512)."),
        new("--noise", "Coefficient of variation of the throughput per 100 ms, 0 to 2; default 0.1."),
        new("--correlation", "Autocorrelation of that noise, 0 to 0.999; default 0.6."),
        new("--seconds", "Virtual seconds of a run, 20 to 86400; default 600 (--quick: 120)."),
        new("--seeds", "Seeds for each start, 1 to 1000; default 30 (--quick: 5)."),
        new("--change", "Comma-separated workload changes, CURVE@SECONDS: a file or the name of a built-in curve."),
        new("--cpu", "known (default: told of CPU and blocking where the curve knows them) or unknown (throughput only)."),
        new("--cpu-noise", "Coefficient of variation of the utilisation of a sample, 0 to 2; default 0."),
        new("--demand", "Items offered per second; default: more than any size can do."),
        new("--max", "Highest size allowed, 2 to 4096; default 2048."),
        new("--table", "compact (default for more than two pools: a row per curve, a column per pool), starts (a row per curve and start) or full (a row per "
            + "metric)."),
        new("--picture", "File for a picture (SVG) of the first seed of the first start of the first case: sizes, throughput and states over time."),
    ];

    /// <summary>Curves given by the user; empty: the built-in ones.</summary>
    public IReadOnlyList<CostCurve> Curves { get; init; } = [];

    /// <summary>Sizes to start from.</summary>
    public required IReadOnlyList<int> Starts { get; init; }

    /// <summary>Seeds for each start.</summary>
    public required int Seeds { get; init; }

    /// <summary>Virtual seconds of a run.</summary>
    public required double Seconds { get; init; }

    /// <summary>The circumstances; the seed is set for each run.</summary>
    public required SimulationSettings Settings { get; init; }

    /// <summary>Which table to print; null: by the number of pools.</summary>
    public ClimbTableKind? Table { get; init; }

    /// <summary>File for a picture; null: none.</summary>
    public string? Picture { get; init; }
}
