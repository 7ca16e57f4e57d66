using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>Reads the options of <c>climb</c>.</summary>
public sealed class ClimbOptionsReader(RunOptions options)
{
    private const int LargestSize = 4096;
    private const string RandomName = "random-";
    private static readonly int[] s_starts = [1, 2, 8, 72, 512, 2048];
    private static readonly int[] s_quickStarts = [2, 72, 512];

    /// <summary>Reads them.</summary>
    /// <exception cref="UsageException">A value is not possible; the message names option, value and range.</exception>
    public ClimbOptions Read()
    {
        int max = (int)Number("--max", 2048, 2, LargestSize, isWhole: true);
        double seconds = Number("--seconds", options.Quick ? 120 : 600, 20, 86_400);
        CurveInterpolation interpolation =
            Choice("--interpolation", CurveInterpolation.Linear, ("linear", CurveInterpolation.Linear), ("spline", CurveInterpolation.MonotoneSpline),
            ("natural-spline", CurveInterpolation.NaturalSpline));
        CostCurve[] curves = [.. List("--curve").Select(c => Curve("--curve", c, interpolation))];
        if (curves.GroupBy(c => c.Name, StringComparer.Ordinal).FirstOrDefault(g => g.Count() > 1) is { } twice)
        {
            throw new UsageException($"--curve: two curves are named '{twice.Key}'.");
        }

        string? picture = options.Extra.GetValueOrDefault("--picture");
        if (picture is not null && Path.GetDirectoryName(Path.GetFullPath(picture)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"--picture {picture}: the folder {folder} does not exist.");
        }

        return new ClimbOptions
        {
            Curves = curves,
            Starts = Starts(max),
            Seeds = (int)Number("--seeds", options.Quick ? 5 : 30, 1, 1000, isWhole: true),
            Seconds = seconds,
            Table = options.Extra.ContainsKey("--table")
                ? Choice("--table", ClimbTableKind.Compact, ("compact", ClimbTableKind.Compact), ("starts", ClimbTableKind.Starts),
                ("full", ClimbTableKind.Full)) : null,
            Picture = picture,
            Settings = new SimulationSettings
            {
                Noise = Number("--noise", 0.1, 0, 2),
                Correlation = Number("--correlation", 0.6, 0, 0.999),
                IsCpuKnown = Choice("--cpu", true, ("known", true), ("unknown", false)),
                UtilisationNoise = Number("--cpu-noise", 0, 0, 2),
                ArrivalsPerSecond = options.Extra.ContainsKey("--demand") ? Number("--demand", 0, 0.01, 1e9) : null,
                MaxTarget = max,
                Changes = Changes(interpolation, seconds),
            },
        };
    }

    private int[] Starts(int max)
    {
        int[] starts = [.. List("--start").Select(s => (int)Number("--start", s, 1, max, isWhole: true))];
        return starts.Length > 0 ? starts : [.. (options.Quick ? s_quickStarts : s_starts).Where(s => s <= max)];
    }

    private WorkloadChange[] Changes(CurveInterpolation interpolation, double seconds)
    {
        List<WorkloadChange> changes = [];
        foreach (string change in List("--change"))
        {
            int at = change.LastIndexOf('@');
            if (at < 1)
            {
                throw new UsageException($"--change '{change}' is not CURVE@SECONDS.");
            }

            double time = Number("--change", change[(at + 1)..], 0.1, seconds);
            if (changes.Count > 0 && time <= changes[^1].At)
            {
                throw new UsageException($"--change '{change}': changes must be sorted by time.");
            }

            changes.Add(new(time, Curve("--change", change[..at], interpolation)));
        }

        return [.. changes];
    }

    private static CostCurve Curve(string option, string text, CurveInterpolation interpolation)
    {
        if (CostCurve.BuiltIn.FirstOrDefault(c => c.Name == text) is { } builtIn)
        {
            return builtIn;
        }

        if (text.StartsWith(RandomName, StringComparison.Ordinal)
            && int.TryParse(text.AsSpan(RandomName.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int seed))
        {
            return RandomCurve.Of(seed).ToCurve(text);
        }

        if (!File.Exists(text))
        {
            throw new UsageException(
                $"{option} '{text}' is neither a file nor a built-in curve. Built-in curves: {string.Join(", ", CostCurve.BuiltIn)}, random-SEED.");
        }

        try
        {
            return CurveFile.Read(text, interpolation);
        }
        catch (CurveFormatException exception)
        {
            throw new UsageException(exception.Message);
        }
    }

    private T Choice<T>(string name, T otherwise, params (string Name, T Value)[] choices)
    {
        if (!options.Extra.TryGetValue(name, out string? text))
        {
            return otherwise;
        }

        int index = Array.FindIndex(choices, c => c.Name == text);
        return index >= 0 ? choices[index].Value : throw new UsageException($"{name} '{text}' is none of {string.Join(", ", choices.Select(c => c.Name))}.");
    }

    private double Number(string name, double otherwise, double min, double max, bool isWhole = false)
        => options.Extra.TryGetValue(name, out string? text) ? Number(name, text, min, max, isWhole) : otherwise;

    private static double Number(string name, string text, double min, double max, bool isWhole = false)
    {
        bool isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) && (!isWhole || value == Math.Floor(value));
        return isNumber && value >= min && value <= max
            ? value
            : throw new UsageException(
                string.Create(CultureInfo.InvariantCulture, $"{name} '{text}' is not a {(isWhole ? "whole " : "")}number from {min} to {max}."));
    }

    private string[] List(string name)
    {
        if (!options.Extra.TryGetValue(name, out string? text))
        {
            return [];
        }

        string[] items = text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        return items.Length > 0 ? items : throw new UsageException($"{name} is empty.");
    }
}
