using System.Globalization;
using System.Text;
using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation.Losses;

/// <summary>What classes lost in many situations.</summary>
/// <param name="Runs">The situations and what was lost in each.</param>
public sealed record LossSurvey(IReadOnlyList<(LossSituation Situation, Loss Loss)> Runs)
{
    /// <summary>Runs that may break the bound: one in so many.</summary>
    public const int OneIn = 1_000;

    private const int WorstShown = 10;

    /// <summary>Runs in which more was lost than may be.</summary>
    public int Broken => Count(Runs, Loss.Bound);

    /// <summary>Whether no more runs break the bound than may.</summary>
    public bool Holds => Broken <= Runs.Count / OneIn;

    /// <summary>Runs situations, as many at once as there are cores.</summary>
    /// <param name="firstSeed">Seed of the first one.</param>
    /// <param name="count">How many.</param>
    /// <param name="seconds">Length of each, in virtual seconds.</param>
    /// <param name="isCpuKnown">Whether CPU use can be read; null: in four of five.</param>
    public static LossSurvey Take(int firstSeed, int count, double seconds, bool? isCpuKnown = null) => new(
    [
        .. Enumerable.Range(firstSeed, count).AsParallel().AsOrdered().Select(seed => LossSituation.Of(seed, isCpuKnown))
            .Select(s => (s, Loss.Of(s.Run(seconds)))),
    ]);

    /// <inheritdoc/>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.AppendLine(string.Create(CultureInfo.InvariantCulture,
            $"{Runs.Count} runs; in {Broken} of them a class lost more than {Percent(Loss.Bound)} of the rate that a verified size promised; allowed: {Runs.Count / OneIn}."));
        text.AppendLine();
        text.AppendLine($"| taken for | runs | none verified | over {Percent(Loss.Bound)} | over {Percent(Loss.Bound / 2)} | median | 99 of 100 | 999 of 1,000 "
            + "| worst | verified after | regret: mean | median | 9 of 10 |");
        text.AppendLine("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        IGrouping<WorkKind, (LossSituation Situation, Loss Loss)>[] kinds = [.. Runs.GroupBy(static r => r.Loss.Kind).OrderBy(static g => g.Key)];
        foreach (IGrouping<WorkKind, (LossSituation Situation, Loss Loss)> kind in kinds)
        {
            AppendRow(text, Enum.GetName(kind.Key)!, [.. kind]);
        }

        AppendRow(text, "all", Runs);
        foreach (IGrouping<WorkKind, (LossSituation Situation, Loss Loss)> kind in kinds)
        {
            foreach ((LossSituation situation, Loss loss) in Worst([.. kind]).Take(WorstShown).Where(static r => r.Loss.Share > Loss.Bound / 2))
            {
                string lost = string.Create(CultureInfo.InvariantCulture,
                    $"{Percent(loss.Share)} behind {loss.Size} threads, verified at {loss.VerifiedAt:0.0} s, at {loss.At:0} s");
                text.AppendLine(string.Create(CultureInfo.InvariantCulture, $"{kind.Key}, seed {situation.Seed}: {lost}; {situation}"));
            }
        }

        return text.ToString();
    }

    private static void AppendRow(StringBuilder text, string name, IReadOnlyList<(LossSituation Situation, Loss Loss)> runs)
    {
        (LossSituation Situation, Loss Loss)[] worst = Worst(runs);
        string At(double share) => worst.Length == 0 ? "-" : Percent(worst[Math.Clamp((int)((1 - share) * worst.Length), 0, worst.Length - 1)].Loss.Share);
        double[] first = [.. runs.Select(static r => double.IsNaN(r.Loss.FirstVerifiedAt) ? double.PositiveInfinity : r.Loss.FirstVerifiedAt).Order()];
        double[] regret = [.. runs.Select(static r => r.Loss.Regret).Order()];
        text.AppendLine(string.Create(CultureInfo.InvariantCulture,
            $"| {name} | {runs.Count} | {runs.Count - worst.Length} | {Count(runs, Loss.Bound)} | {Count(runs, Loss.Bound / 2)} | {At(0.5)} | {At(0.99)} "
            + $"| {At(0.999)} | {At(1)} | {Seconds(first[first.Length / 2])} | {Percent(regret.Average())} | {Percent(regret[regret.Length / 2])} "
            + $"| {Percent(regret[regret.Length * 9 / 10])} |"));
    }

    private static (LossSituation Situation, Loss Loss)[] Worst(IReadOnlyList<(LossSituation Situation, Loss Loss)> runs)
        => [.. runs.Where(static r => !double.IsNaN(r.Loss.Share)).OrderByDescending(static r => r.Loss.Share)];

    private static string Seconds(double seconds) => double.IsInfinity(seconds) ? "never" : string.Create(CultureInfo.InvariantCulture, $"{seconds:0} s");

    private static string Percent(double share) => string.Create(CultureInfo.InvariantCulture, $"{100 * share:0.0} %");

    private static int Count(IReadOnlyList<(LossSituation Situation, Loss Loss)> runs, double bound) => runs.Count(r => r.Loss.Share > bound);
}
