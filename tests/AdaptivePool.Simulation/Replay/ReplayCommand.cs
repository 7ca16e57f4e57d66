namespace AdaptivePool.Simulation.Replay;

/// <summary><c>replay LOG</c>: repeats the decisions of a decision log and reports whether the controllers decide the same.</summary>
public static class ReplayCommand
{
    /// <summary>The first argument.</summary>
    public const string Verb = "replay";

    private const int Different = 1;
    private const int BadFile = 2;

    /// <summary>Runs the command.</summary>
    /// <param name="arguments">The arguments after the name of the command.</param>
    /// <param name="output">The writer for the result.</param>
    /// <param name="errors">The writer for error messages.</param>
    /// <returns>0 if every decision is reproduced, 1 if one differs, 2 if the file is invalid.</returns>
    public static int Run(IReadOnlyList<string> arguments, TextWriter output, TextWriter errors)
    {
        if (arguments is not [var path])
        {
            errors.WriteLine($"'{Verb}' needs one file, a decision log: '{Verb} LOG'.");
            return BadFile;
        }

        try
        {
            using DecisionLogReader log = DecisionLogReader.Open(path);
            IReadOnlyList<DecisionReplayResult> results = DecisionReplay.Run(log);
            output.WriteLine($"{log.Header.Controller}, logged by {log.Header.Product}");
            Print(results, output);
            if (log.Note is { } note)
            {
                output.WriteLine($"note: {note}");
            }

            return results.All(static result => result.IsIdentical) ? 0 : Different;
        }
        catch (Exception exception) when (
            exception is DecisionLogException or IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            errors.WriteLine($"{path}: {exception.Message}");
            return BadFile;
        }
    }

    private static void Print(IReadOnlyList<DecisionReplayResult> results, TextWriter output)
    {
        if (results.Count == 0)
        {
            output.WriteLine("no controller took a step");
        }

        foreach (DecisionReplayResult result in results)
        {
            output.WriteLine($"class '{result.ClassName}': {result.Steps} steps, {result.Identical} identical");
            if (result.Difference is { } difference)
            {
                output.WriteLine($"  first difference: {difference}");
            }
        }
    }
}
