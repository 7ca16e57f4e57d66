using System.Globalization;
using AdaptivePool.Mutation.Running;

namespace AdaptivePool.Mutation;

/// <summary>Tells what lives, and the score of each folder.</summary>
internal static class Report
{
    /// <summary>Writes the report.</summary>
    /// <returns>Whether all that lives is known to be harmless.</returns>
    public static bool Write(TextWriter output, Mutant[] sample, ResultFile results, IReadOnlyDictionary<string, string> harmless, int seed, TimeSpan time)
    {
        List<(Mutant Mutant, Verdict Verdict)> tried = [.. sample.Where(m => results.Of(m) is not null).Select(m => (m, results.Of(m)!))];
        IEnumerable<(Mutant Mutant, Verdict Verdict)> survivors = tried.Where(static r => IsAlive(r.Verdict));
        foreach ((Mutant mutant, Verdict verdict) in survivors.OrderBy(static r => r.Mutant.Path, StringComparer.Ordinal).ThenBy(static r => r.Mutant.Line))
        {
            string why = harmless.TryGetValue(mutant.Key, out string? reason) ? "harmless: " + reason : Tell(verdict);
            output.WriteLine($"ALIVE {mutant.Path}:{mutant.Line} {mutant.Operator}");
            output.WriteLine($"    {mutant.Key}");
            output.WriteLine($"    {why}");
        }

        output.WriteLine("folder: killed of mutants, hung among the killed, alive and harmless, alive");
        foreach (var folder in tried.GroupBy(static r => r.Mutant.Folder, StringComparer.Ordinal).OrderBy(static g => g.Key, StringComparer.Ordinal))
        {
            output.WriteLine($"{folder.Key}: {Sum([.. folder], harmless)}");
        }

        int alive = tried.Count(r => IsAlive(r.Verdict) && !harmless.ContainsKey(r.Mutant.Key));
        int killed = tried.Count(static r => !IsAlive(r.Verdict));
        int known = tried.Count - alive - killed;
        string left = tried.Count < sample.Length ? $", {sample.Length - tried.Count} not tried" : "";
        string score = string.Create(CultureInfo.InvariantCulture, $"{killed} of {tried.Count} killed, {known} known to be harmless, {alive} alive{left}");
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"logic mutants: {score}; seed {seed}, {time.TotalSeconds:0} s"));
        return alive == 0;
    }

    private static string Sum(List<(Mutant Mutant, Verdict Verdict)> tried, IReadOnlyDictionary<string, string> harmless)
    {
        int killed = tried.Count(static r => !IsAlive(r.Verdict));
        int hung = tried.Count(static r => r.Verdict.Kind == VerdictKind.Hung);
        int known = tried.Count(r => IsAlive(r.Verdict) && harmless.ContainsKey(r.Mutant.Key));
        return string.Create(CultureInfo.InvariantCulture, $"{killed} of {tried.Count}, {hung}, {known}, {tried.Count - killed - known}");
    }

    private static bool IsAlive(Verdict verdict) => verdict.Kind is VerdictKind.NotReached or VerdictKind.Alive or VerdictKind.AliveInBudget;

    private static string Tell(Verdict verdict) => verdict.Kind switch
    {
        VerdictKind.NotReached => "no test reaches it",
        VerdictKind.AliveInBudget => $"{verdict.Tests} tests pass, and the budget was used up",
        _ => $"all {verdict.Tests} tests that reach it pass",
    };
}
