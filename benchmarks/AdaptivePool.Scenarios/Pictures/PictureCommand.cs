using System.CommandLine;
using System.Text.Json;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary><c>picture FILE.json ... --cases ... --metric ... --out FILE.svg</c>: draws results that <c>--json</c> wrote, one metric over the number of
/// clients or, with <c>--rows</c>, a row for each case.</summary>
public static class PictureCommand
{
    /// <summary>The first argument.</summary>
    public const string Verb = "picture";

    private const int BadInput = 2;

    /// <summary>Runs the command.</summary>
    /// <param name="arguments">The arguments after the name of the command.</param>
    /// <param name="errors">The writer for error messages.</param>
    /// <returns>0 if the picture is written, 2 if an option or a file is invalid.</returns>
    public static int Run(IReadOnlyList<string> arguments, TextWriter errors)
    {
        Argument<string[]> files =
            new("FILE") { Description = "results written by --json; the results of all files are combined", Arity = ArgumentArity.OneOrMore };
        Option<string> cases =
            new("--cases") { Description =
            "beginning of the cases' names, up to the number of clients, such as async-; or one case that has all numbers of clients, such as async-sweep; "
            + "with --rows: comma-separated beginnings, in the order of the rows (default: all cases)" };
        Option<string> metric = new("--metric")
        {
            Description = "the metric, such as tps; for one case with metrics tps-1, tps-2 and so on: tps; with --rows: comma-separated metrics of one unit",
            Required = true,
        };
        Option<bool> rows = new("--rows") { Description = "draws a row for each case instead of a line over the number of clients" };
        Option<double?> line = new("--line") { Description = "with --rows: draws a line at the value that all others are compared with" };
        Option<string> title = new("--title") { Description = "title of the picture" };
        Option<string> path = new("--out") { Description = "the file for the picture (SVG)", Required = true };
        RootCommand command = new("Draws metrics of results, over the number of clients or with a row for each case.")
        {
            files, cases, metric, rows, line, title, path,
        };
        command.Validators.Add(result =>
        {
            if (!result.GetValue(rows) && result.GetValue(line) is not null)
            {
                result.AddError("--line needs --rows.");
            }

            if (!result.GetValue(rows) && result.GetValue(cases) is null)
            {
                result.AddError("--cases is needed without --rows.");
            }
        });
        command.SetAction(parsed =>
        {
            try
            {
                IReadOnlyList<PictureCell> cells = PictureCell.Read(parsed.GetRequiredValue(files));
                (string? picture, string problem) = parsed.GetValue(rows)
                    ? Rows(cells, List(parsed.GetValue(cases)), List(parsed.GetRequiredValue(metric)), parsed.GetValue(line), parsed.GetValue(title))
                    : Curves(cells, parsed.GetRequiredValue(cases), parsed.GetRequiredValue(metric), parsed.GetValue(title));
                if (picture is null)
                {
                    errors.WriteLine(problem);
                    return BadInput;
                }

                File.WriteAllText(parsed.GetRequiredValue(path), picture);
                return 0;
            }
            catch (Exception exception) when (
                exception is IOException or UnauthorizedAccessException or JsonException or KeyNotFoundException
                    or InvalidOperationException or FormatException)
            {
                errors.WriteLine(exception.Message);
                return BadInput;
            }
        });
        ParseResult result = command.Parse([.. arguments]);
        return result.Errors.Count == 0 ? result.Invoke() : Refuse(result, errors);
    }

    private static (string? Picture, string Problem) Curves(IReadOnlyList<PictureCell> cells, string prefix, string metric, string? title)
    {
        IReadOnlyList<ClientCurve> curves = ClientCurve.Choose(cells, prefix, metric);
        return curves.Count > 0
            ? (ClientCurvePicture.Draw(title ?? $"{prefix.TrimEnd('-')}: {metric} over the number of clients", curves), "")
            : (null, $"No file has the metric '{metric}' of a case whose name is '{prefix}' and a number, or metrics '{metric}-' and a number of "
                + $"the case '{prefix}'.");
    }

    private static (string? Picture, string Problem) Rows(
        IReadOnlyList<PictureCell> cells, IReadOnlyList<string> cases, IReadOnlyList<string> metrics, double? line, string? title)
    {
        IReadOnlyList<RowMark> marks = RowMark.Choose(cells, cases, metrics);
        if (marks.Count == 0)
        {
            return (null, $"No file has a metric '{string.Join("' or '", metrics)}' of such a case.");
        }

        string[] units = [.. marks.Select(static mark => mark.Unit).Distinct(StringComparer.Ordinal)];
        return units.Length == 1
            ? (RowPicture.Draw(title ?? string.Join(", ", metrics), marks, line), "")
            : (null, $"The metrics are in different units: '{string.Join("', '", units)}'. One picture has one axis.");
    }

    private static string[] List(string? text) =>
        text?.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries) ?? [];

    private static int Refuse(ParseResult result, TextWriter errors)
    {
        foreach (System.CommandLine.Parsing.ParseError error in result.Errors)
        {
            errors.WriteLine(error.Message);
        }

        return BadInput;
    }
}
