using System.Globalization;

namespace AdaptivePool.Mutation;

/// <summary>The command line.</summary>
internal sealed record MutationOptions
{
    public const string Usage =
        "[--sample N] [--seed S] [--only NAME]... [--suite PROJECT] [--tests NAME]... [--processes 1..8] [--budget SECONDS] [--minutes M] [--fresh] [--list]";

    /// <summary>Mutants to try; 0 for all.</summary>
    public int Sample { get; private init; }

    public int Seed { get; private init; } = 1;

    /// <summary>Beginnings of names, which begin with a path; none for the whole scope.</summary>
    public IReadOnlyList<string> Only { get; private init; } = [];

    /// <summary>The project whose tests run.</summary>
    public string Suite { get; private init; } = "AdaptivePool.Tests";

    /// <summary>Parts of the full names of test cases; none for all.</summary>
    public IReadOnlyList<string> Tests { get; private init; } = [];

    public int Processes { get; private init; } = 2;

    /// <summary>Time of tests, as they take without a mutant, that one mutant may cost.</summary>
    public double BudgetSeconds { get; private init; } = 120;

    /// <summary>The run ends after so long; the next run with the same assemblies goes on where it ended.</summary>
    public double Minutes { get; private init; } = double.PositiveInfinity;

    /// <summary>Forgets what earlier runs found.</summary>
    public bool IsFresh { get; private init; }

    /// <summary>Only lists the mutants.</summary>
    public bool IsList { get; private init; }

    /// <summary>Whether a mutant of this name is to be tried.</summary>
    public bool Has(string name) => Only.Count == 0 || Only.Any(o => name.StartsWith(o, StringComparison.Ordinal));

    /// <summary>Whether a file has mutants that are to be tried.</summary>
    public bool HasFile(string path) => Has(path) || Only.Any(o => o.StartsWith(path, StringComparison.Ordinal));

    public static MutationOptions Parse(string[] arguments)
    {
        var options = new MutationOptions();
        for (int i = 0; i < arguments.Length; i++)
        {
            string name = arguments[i];
            string Value() => ++i < arguments.Length ? arguments[i] : throw new FormatException($"{name} needs a value.");
            options = name switch
            {
                "--sample" => options with { Sample = (int)Number(name, Value(), 0, int.MaxValue) },
                "--seed" => options with { Seed = (int)Number(name, Value(), int.MinValue, int.MaxValue) },
                "--only" => options with { Only = [.. options.Only, Value()] },
                "--suite" => options with { Suite = Value() },
                "--tests" => options with { Tests = [.. options.Tests, Value()] },
                "--processes" => options with { Processes = (int)Number(name, Value(), 1, 8) },
                "--budget" => options with { BudgetSeconds = Number(name, Value(), 1, 86_400) },
                "--minutes" => options with { Minutes = Number(name, Value(), 0.1, 86_400) },
                "--fresh" => options with { IsFresh = true },
                "--list" => options with { IsList = true },
                _ => throw new FormatException($"{name} is not known."),
            };
        }

        return options;
    }

    private static double Number(string name, string text, double least, double most) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) && value >= least && value <= most
            ? value
            : throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"{name} is {text}, must be from {least} to {most}."));
}
