using System.Globalization;

namespace AdaptivePool.Simulation.Losses;

/// <summary>What classes lost in many situations.</summary>
/// <param name="Runs">The situations and what was lost in each.</param>
public sealed record LossSurvey(IReadOnlyList<(LossSituation Situation, Loss Loss)> Runs)
{
    /// <summary>Runs that may break the bound: one in so many.</summary>
    public const int OneIn = 1_000;

    private const int WorstShown = 10;

    /// <summary>Runs in which more was lost than may be.</summary>
    public int Broken => Count(Loss.Bound);

    /// <summary>Whether no more runs break the bound than may.</summary>
    public bool Holds => Broken <= Runs.Count / OneIn;

    /// <summary>Runs situations, as many at once as there are cores.</summary>
    /// <param name="firstSeed">Seed of the first one.</param>
    /// <param name="count">How many.</param>
    /// <param name="seconds">Length of each, in virtual seconds.</param>
    public static LossSurvey Take(int firstSeed, int count, double seconds) => new(
    [
        .. Enumerable.Range(firstSeed, count).AsParallel().AsOrdered().Select(seed => LossSituation.Of(seed)).Select(s => (s, Loss.Of(s.Run(seconds)))),
    ]);

    /// <inheritdoc/>
    public override string ToString()
    {
        (LossSituation Situation, Loss Loss)[] worst = [.. Runs.Where(static r => !double.IsNaN(r.Loss.Share)).OrderByDescending(static r => r.Loss.Share)];
        var text = new System.Text.StringBuilder();
        text.AppendLine(string.Create(CultureInfo.InvariantCulture, $"{Runs.Count} runs, {Runs.Count - worst.Length} of them verified no size in time."));
        text.AppendLine(string.Create(CultureInfo.InvariantCulture,
            $"More than {Percent(Loss.Bound)} lost: {Broken} runs; more than {Percent(Loss.Bound / 2)}: {Count(Loss.Bound / 2)}; at most {Runs.Count / OneIn} "
            + $"may lose more than {Percent(Loss.Bound)}."));
        if (worst.Length > 0)
        {
            double At(double share) => worst[Math.Clamp((int)((1 - share) * worst.Length), 0, worst.Length - 1)].Loss.Share;
            text.AppendLine($"Greatest loss of a run: median {Percent(At(0.5))}, 99 of 100 {Percent(At(0.99))}, 999 of 1,000 {Percent(At(0.999))}, worst "
                + $"{Percent(worst[0].Loss.Share)}.");
        }

        double[] first = [.. Runs.Select(static r => double.IsNaN(r.Loss.FirstVerifiedAt) ? double.PositiveInfinity : r.Loss.FirstVerifiedAt).Order()];
        double[] regret = [.. Runs.Select(static r => r.Loss.Regret).Order()];
        text.AppendLine(string.Create(CultureInfo.InvariantCulture,
            $"First size verified after: median {first[first.Length / 2]:0.0} s, 9 of 10 {first[first.Length * 9 / 10]:0.0} s. Regret of the whole run: mean "
            + $"{Percent(regret.Average())}, median {Percent(regret[regret.Length / 2])}, 9 of 10 {Percent(regret[regret.Length * 9 / 10])}."));
        foreach ((LossSituation situation, Loss loss) in worst.Take(WorstShown).Where(static r => r.Loss.Share > Loss.Bound))
        {
            text.AppendLine(string.Create(CultureInfo.InvariantCulture,
                $"seed {situation.Seed}: {Percent(loss.Share)} behind {loss.Size} threads, verified at {loss.VerifiedAt:0.0} s, at {loss.At:0} s; {situation}"));
        }

        return text.ToString();
    }

    private static string Percent(double share) => string.Create(CultureInfo.InvariantCulture, $"{100 * share:0.0} %");

    private int Count(double bound) => Runs.Count(r => r.Loss.Share > bound);
}
