using System.Globalization;
using System.Text;

namespace AdaptivePool.Simulation.Losses;

/// <summary>What a class decides in one situation: where to begin when a survey has found a loss.</summary>
/// <param name="Situation">The situation.</param>
/// <param name="Loss">What was lost.</param>
/// <param name="Run">The run.</param>
public sealed record LossRun(LossSituation Situation, Loss Loss, ClimbRun Run)
{
    /// <summary>Runs it.</summary>
    /// <param name="situation">The situation.</param>
    /// <param name="seconds">Length, in virtual seconds.</param>
    public static LossRun Of(LossSituation situation, double seconds)
    {
        ClimbRun run = situation.Run(seconds);
        return new(situation, Loss.Of(run), run);
    }

    /// <inheritdoc/>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.AppendLine(Situation.ToString());
        text.AppendLine(string.Create(CultureInfo.InvariantCulture,
            $"{Loss.Kind}; best {Run.Curve.SmallestBestSize}; {100 * Loss.Share:0.0} % behind {Loss.Size} threads, verified at {Loss.VerifiedAt:0.0} s, "
            + $"at {Loss.At:0} s; regret {100 * Loss.Regret:0.0} %"));
        foreach ((double at, int size) in Run.Verified)
        {
            text.AppendLine(string.Create(CultureInfo.InvariantCulture, $"{at,9:0.000} s: {(size > 0 ? "verified" : "not verified")} {size}"));
        }

        foreach (ClimbEvent e in Run.Events)
        {
            string gain = double.IsNaN(e.Gain) ? "" : string.Create(CultureInfo.InvariantCulture, $", gain {e.Gain:0.000} +- {e.Noise:0.000}");
            text.AppendLine(string.Create(CultureInfo.InvariantCulture,
                $"{e.Time,9:0.000} s: {e.Target,5} threads, {Run.Curve.Throughput(e.Target) / Run.Curve.Best:0.000} of the best; {e.Reason}, {e.State}{gain}"));
        }

        return text.ToString();
    }
}
