using System.Globalization;
using AdaptivePool.Simulation.Golden;

namespace AdaptivePool.Scenarios.Golden;

/// <summary><c>golden DIR [--record]</c>: repeats the runs of the traces in a folder on virtual time and prints where this build decides differently; or
/// records them again.</summary>
public static class GoldenCommand
{
    /// <summary>The first argument.</summary>
    public const string Verb = "golden";

    private const string RecordOption = "--record";
    private const int Different = 1;
    private const int Bad = 2;

    /// <summary>Runs the command.</summary>
    /// <param name="arguments">The arguments after the name of the command.</param>
    /// <param name="output">The writer for the result.</param>
    /// <param name="errors">The writer for error messages.</param>
    /// <returns>0 if every step is the same or has been recorded, 1 if one differs, 2 if an argument or a file is invalid.</returns>
    public static int Run(IReadOnlyList<string> arguments, TextWriter output, TextWriter errors)
    {
        bool records = arguments is [_, RecordOption];
        if (arguments.Count == 0 || (arguments.Count > 1 && !records) || !Directory.Exists(arguments[0]))
        {
            errors.WriteLine($"'{Verb}' needs a folder with golden traces: '{Verb} DIR' compares, '{Verb} DIR {RecordOption}' records again.");
            return Bad;
        }

        try
        {
            if (records)
            {
                GoldenRun.Record(arguments[0]);
                return 0;
            }

            GoldenDifference[] all = [.. GoldenRun.Files.SelectMany(file => GoldenRun.Compare(arguments[0], file))];
            foreach (GoldenDifference difference in all.Where(static d => !d.IsIdentical))
            {
                output.WriteLine(difference);
            }

            output.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"{all.Count(static d => d.IsIdentical)} of {all.Length} traces are the same; rates: mean "
                + $"{100 * all.Average(static d => d.RateChange):+0.0;-0.0;0.0} %, worst {100 * all.Min(static d => d.RateChange):+0.0;-0.0;0.0} %"));
            return all.All(static d => d.IsIdentical) ? 0 : Different;
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(exception.Message);
            return Bad;
        }
    }
}
