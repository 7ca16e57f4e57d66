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

        if (RuntimeName().Match(name) is { Success: true } runtime)
        {
            return new RuntimeComparedPool(Number(runtime, 1));
        }

        if (name == "adaptive")
        {
            return new AdaptiveComparedPool();
        }

        if (name == AdaptiveComparedPool.DatabaseName)
        {
            return new AdaptiveComparedPool(preset: PoolPreset.DatabaseCompatible);
        }

        if (AdaptiveName().Match(name) is { Success: true } adaptive)
        {
            return new AdaptiveComparedPool(Number(adaptive, 1));
        }

        if (AdaptiveFixedName().Match(name) is { Success: true } sized)
        {
            return new AdaptiveComparedPool(size: Number(sized, 1));
        }

        if (GatedName().Match(name) is { Success: true } gated)
        {
            return GatedComparedPool.Fixed(Number(gated, 1), GatedComparedPool.Patience);
        }

        if (GatedAdaptiveName().Match(name) is { Success: true } self)
        {
            return GatedComparedPool.Adaptive(name, OptionalNumber(self, 1), GatedComparedPool.Patience);
        }

        if (AdaptiveGatedName().Match(name) is { Success: true } both)
        {
            return AdaptiveGatedComparedPool.Create(name, o => (o.Adaptive, o.PermitLimit) = (both.Groups[1].Success, OptionalNumber(both, 2) ?? 0));
        }

        if (LimiterName().Match(name) is { Success: true } limiter)
        {
            return GatedComparedPool.Framework(name, Number(limiter, 1));
        }

        if (KeptName().Match(name) is { Success: true } kept)
        {
            return new KeptComparedPool(name, OptionalNumber(kept, 2), kept.Groups[1].Success, GatedComparedPool.Patience);
        }

        if (name == Gradient2ComparedPool.PoolName)
        {
            return new Gradient2ComparedPool(GatedComparedPool.Patience);
        }

        Match match = FixedName().Match(name);
        int first = Number(match, 1);
        return match.Groups[2].Success ? new HandSetComparedPool(first, Number(match, 2)) : new FixedComparedPool(first);
    }

    /// <summary>Refuses names that are no pool.</summary>
    /// <exception cref="UsageException">There is no such pool.</exception>
    public static void Check(string name)
    {
        if (RuntimeName().Match(name) is { Success: true } runtime && Number(runtime, 1) < Environment.ProcessorCount)
        {
            throw new UsageException(
                $"The pool '{name}' cannot be created: the runtime's pool needs at least one thread for each of its {Environment.ProcessorCount} processors.");
        }

        Regex[] numbered =
            [FixedName(), RuntimeName(), AdaptiveName(), AdaptiveFixedName(), GatedName(), GatedAdaptiveName(), AdaptiveGatedName(), LimiterName(), KeptName()];
        if (name is not ("runtime" or "adaptive" or AdaptiveComparedPool.DatabaseName or Gradient2ComparedPool.PoolName) && !numbered.Any(n => n.IsMatch(name)))
        {
            throw new UsageException(
                $"There is no pool '{name}'. Pools: runtime, adaptive, adaptive-database, runtime-N, adaptive-from-N, adaptive-fixed-N, fixed-N and fixed-A+B "
                + "with 1 to 9999 threads, gated-N, gated-adaptive, gated-adaptive-from-N, adaptive-gated-N, adaptive-gated-adaptive, "
                + "adaptive-gated-adaptive-from-N, limiter-N, kept-N, kept-adaptive and kept-adaptive-from-N with 1 to 9999 transactions, gradient2.");
        }
    }

    private static int Number(Match match, int group) => int.Parse(match.Groups[group].ValueSpan, CultureInfo.InvariantCulture);

    private static int? OptionalNumber(Match match, int group) => match.Groups[group].Success ? Number(match, group) : null;

    [GeneratedRegex(@"\Afixed-([1-9][0-9]{0,3})(?:\+([1-9][0-9]{0,3}))?\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex FixedName();

    [GeneratedRegex(@"\Aruntime-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex RuntimeName();

    [GeneratedRegex(@"\Agated-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex GatedName();

    [GeneratedRegex(@"\Agated-adaptive(?:-from-([1-9][0-9]{0,3}))?\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex GatedAdaptiveName();

    [GeneratedRegex(@"\Aadaptive-gated-(?:(?<adaptive>adaptive)(?:-from-(?<limit>[1-9][0-9]{0,3}))?|(?<limit>[1-9][0-9]{0,3}))\z", RegexOptions.None,
        matchTimeoutMilliseconds: 1000)]
    private static partial Regex AdaptiveGatedName();

    [GeneratedRegex(@"\Alimiter-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex LimiterName();

    [GeneratedRegex(@"\Akept-(?:(?<adaptive>adaptive)(?:-from-(?<limit>[1-9][0-9]{0,3}))?|(?<limit>[1-9][0-9]{0,3}))\z", RegexOptions.None,
        matchTimeoutMilliseconds: 1000)]
    private static partial Regex KeptName();

    [GeneratedRegex(@"\Aadaptive-from-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex AdaptiveName();

    [GeneratedRegex(@"\Aadaptive-fixed-([1-9][0-9]{0,3})\z", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex AdaptiveFixedName();
}
