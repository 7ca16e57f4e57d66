using System.Globalization;
using System.Text.RegularExpressions;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>Knows the pools by name.</summary>
public static partial class ComparedPoolFactory
{
    /// <summary>Creates a pool.</summary>
    /// <exception cref="UsageException">There is no such pool.</exception>
    public static ComparedPool Create(string name)
    {
        Check(name);
        if (name == "runtime")
        {
            return new RuntimeComparedPool();
        }

        if (name == "adaptive")
        {
            return new AdaptiveComparedPool();
        }

        if (AdaptiveName().Match(name) is { Success: true } adaptive)
        {
            return new AdaptiveComparedPool(Number(adaptive, 1));
        }

        if (GatedName().Match(name) is { Success: true } gated)
        {
            return new GatedComparedPool(Number(gated, 1));
        }

        Match match = FixedName().Match(name);
        int first = Number(match, 1);
        return match.Groups[2].Success ? new HandSetComparedPool(first, Number(match, 2)) : new FixedComparedPool(first);
    }

    /// <summary>Refuses names that are no pool.</summary>
    /// <exception cref="UsageException">There is no such pool.</exception>
    public static void Check(string name)
    {
        if (name is not ("runtime" or "adaptive") && !FixedName().IsMatch(name) && !AdaptiveName().IsMatch(name) && !GatedName().IsMatch(name))
        {
            throw new UsageException($"There is no pool '{name}'. Pools: runtime, adaptive, adaptive-from-N, fixed-N and fixed-A+B with 1 to 9999 threads, gated-N with 1 to 9999 transactions.");
        }
    }

    private static int Number(Match match, int group) => int.Parse(match.Groups[group].ValueSpan, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"\Afixed-([1-9][0-9]{0,3})(?:\+([1-9][0-9]{0,3}))?\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex FixedName();

    [GeneratedRegex(@"\Agated-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex GatedName();

    [GeneratedRegex(@"\Aadaptive-from-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex AdaptiveName();
}
