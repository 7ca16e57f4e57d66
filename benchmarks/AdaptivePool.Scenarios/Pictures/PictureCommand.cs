using System.CommandLine;
using System.Text.Json;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary><c>picture FILE.json ... --cases PREFIX --metric NAME --out FILE.svg</c>: draws one metric over the number of clients, from results that
/// <c>--json</c> wrote.</summary>
public static class PictureCommand
{
    /// <summary>The first argument.</summary>
    public const string Verb = "picture";

    private const int BadInput = 2;

    /// <summary>Runs the command.</summary>
    /// <param name="arguments">What follows the verb.</param>
    /// <param name="errors">Where problems go.</param>
    /// <returns>0 when the picture is written, 2 when an option or a file is bad.</returns>
    public static int Run(IReadOnlyList<string> arguments, TextWriter errors)
    {
        Argument<string[]> files =
            new("FILE") { Description = "results written by --json; of several files those of later ones are added", Arity = ArgumentArity.OneOrMore };
        Option<string> cases =
            new("--cases") { Description =
            "beginning of the cases' names, up to the number of clients, such as async-; or one case that has all numbers of clients, such as async-sweep",
            Required = true };
        Option<string> metric = new("--metric") { Description = "the metric, such as tps; of one case its metrics tps-1, tps-2 and so on", Required = true };
        Option<string> title = new("--title") { Description = "title of the picture" };
        Option<string> path = new("--out") { Description = "where the picture goes", Required = true };
        RootCommand command = new("Draws one metric over the number of clients.") { files, cases, metric, title, path };
        command.SetAction(parsed =>
        {
            try
            {
                string prefix = parsed.GetRequiredValue(cases);
                string name = parsed.GetRequiredValue(metric);
                IReadOnlyList<ClientCurve> curves = ClientCurve.Read(parsed.GetRequiredValue(files), prefix, name);
                if (curves.Count == 0)
                {
                    errors.WriteLine($"No file has the metric '{name}' of a case whose name is '{prefix}' and a number, or metrics '{name}-' and a number of "
                        + $"the case '{prefix}'.");
                    return BadInput;
                }

                File.WriteAllText(parsed.GetRequiredValue(path),
                    ClientCurvePicture.Draw(parsed.GetValue(title) ?? $"{prefix.TrimEnd('-')}: {name} over the number of clients", curves));
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

    private static int Refuse(ParseResult result, TextWriter errors)
    {
        foreach (System.CommandLine.Parsing.ParseError error in result.Errors)
        {
            errors.WriteLine(error.Message);
        }

        return BadInput;
    }
}
