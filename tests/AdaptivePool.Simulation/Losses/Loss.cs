using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation.Losses;

/// <summary>
/// What a class lost by looking for a better size: how far the items completed fall behind those that a size which it had verified would have completed, had it
/// stayed there. Probes, trials and resizes count; noise does not, because both are read from the curve.
/// </summary>
/// <param name="Share">The greatest share that was missing; negative when more was completed than any verified size promised, NaN when no size was verified in
/// time.</param>
/// <param name="Size">The size that promised more, in threads.</param>
/// <param name="VerifiedAt">When it was verified, in seconds.</param>
/// <param name="At">When that share was missing, in seconds.</param>
/// <param name="FirstVerifiedAt">When the first size was verified, in seconds; NaN when none was.</param>
/// <param name="Regret">What the best size would have completed more in the whole run, as a share.</param>
public readonly record struct Loss(double Share, int Size, double VerifiedAt, double At, double FirstVerifiedAt, double Regret)
{
    /// <summary>Seconds from a verification on that do not count: a single trial is a large share of a short time.</summary>
    public const double Grace = 60;

    /// <summary>The share that may be missing.</summary>
    public const double Bound = 0.02;

    private const double Every = 1;

    /// <summary>What the items were taken for.</summary>
    internal WorkKind Kind { get; init; }

    /// <summary>Reads a run.</summary>
    /// <param name="run">The run, of one workload.</param>
    public static Loss Of(ClimbRun run)
    {
        double first = run.Verified.Count > 0 ? run.Verified[0].At : double.NaN;
        Loss worst = new(double.NaN, 0, double.NaN, double.NaN, first, 1 - (run.Points[^1].Delivered / run.Points[^1].Ideal)) { Kind = run.Kind };
        SimulationPoint[] marks = Marks(run.Points);
        foreach ((double at, int size) in run.Verified)
        {
            SimulationPoint from = run.Points.Last(p => p.Time <= at);
            double promised = run.Curve.Throughput(size);
            foreach (SimulationPoint mark in marks)
            {
                double seconds = mark.Time - from.Time;
                double share = 1 - ((mark.Delivered - from.Delivered) / (promised * seconds));
                if (seconds >= Grace && !(share <= worst.Share))
                {
                    worst = worst with { Share = share, Size = size, VerifiedAt = at, At = mark.Time };
                }
            }
        }

        return worst;
    }

    private static SimulationPoint[] Marks(IReadOnlyList<SimulationPoint> points)
    {
        List<SimulationPoint> marks = [];
        double next = 0;
        foreach (SimulationPoint point in points)
        {
            if (point.Time >= next)
            {
                marks.Add(point);
                next = point.Time + Every;
            }
        }

        return [.. marks];
    }
}
