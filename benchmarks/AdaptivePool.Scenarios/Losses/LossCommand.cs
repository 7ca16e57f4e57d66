using System.Globalization;
using AdaptivePool.Simulation.Losses;

namespace AdaptivePool.Scenarios.Losses;

/// <summary>
/// <c>loss [--runs N] [--seconds S] [--seed FIRST] [--cpu known|unknown|both]</c>: runs work classes of the pool on virtual time, with random work, random
/// noise and random start sizes. It reports for each kind of work how often, and by how much, a class loses throughput against a size that it had verified.
/// <c>loss --show SEED</c>: prints the decisions of a class in one of these situations.
/// </summary>
public static class LossCommand
{
    /// <summary>The first argument.</summary>
    public const string Verb = "loss";

    private const int DefaultRuns = 10_000;
    private const int DefaultSeconds = 240;
    private const int Broken = 1;
    private const int Bad = 2;
    private const string CpuOption = "--cpu";
    private const string Both = "both";
    private const string Show = "--show";

    private static readonly Dictionary<string, bool?> s_cpu = new(StringComparer.Ordinal) { ["known"] = true, ["unknown"] = false, [Both] = null };

    /// <summary>Runs the command.</summary>
    /// <param name="arguments">The arguments after the name of the command.</param>
    /// <param name="output">The writer for the result.</param>
    /// <param name="errors">The writer for error messages.</param>
    /// <returns>0 if the bound holds, 1 if it is broken too often, 2 if an argument is invalid.</returns>
    public static int Run(IReadOnlyList<string> arguments, TextWriter output, TextWriter errors)
    {
        var values = new Dictionary<string, int>(StringComparer.Ordinal)
        {
            ["--runs"] = DefaultRuns,
            ["--seconds"] = DefaultSeconds,
            ["--seed"] = 1,
            [Show] = 0,
        };
        bool? isCpuKnown = null;
        for (int i = 0; i < arguments.Count; i += 2)
        {
            if (arguments[i] == CpuOption && i + 1 < arguments.Count && s_cpu.TryGetValue(arguments[i + 1], out isCpuKnown))
            {
                continue;
            }

            int least = arguments[i] == "--seconds" ? (int)Loss.Grace + 1 : 1;
            bool isNumber = i + 1 < arguments.Count && int.TryParse(arguments[i + 1], NumberStyles.None, CultureInfo.InvariantCulture, out int value)
                && value >= least
                && values.ContainsKey(arguments[i]) && (values[arguments[i]] = value) == value;
            if (!isNumber)
            {
                errors.WriteLine($"Options of '{Verb}': --runs N (1 or more, default {DefaultRuns}), --seconds S (more than {Loss.Grace}, default "
                    + $"{DefaultSeconds}), --seed FIRST (1 or more, default 1), {CpuOption} {string.Join('|', s_cpu.Keys)} (default {Both}), "
                    + $"{Show} SEED (1 or more). '{string.Join(' ', arguments.Skip(i).Take(2))}' is not one of them.");
                return Bad;
            }
        }

        if (values[Show] > 0)
        {
            output.Write(LossRun.Of(LossSituation.Of(values[Show], isCpuKnown), values["--seconds"]));
            return 0;
        }

        LossSurvey survey = LossSurvey.Take(values["--seed"], values["--runs"], values["--seconds"], isCpuKnown);
        output.Write(survey);
        return survey.Holds ? 0 : Broken;
    }
}
