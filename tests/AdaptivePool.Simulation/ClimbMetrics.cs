using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>
/// What a run was worth. X* is the throughput of the best size, N* the smallest size that gives 0.99 X*; both follow a workload
/// change, and where fewer items are offered than X*, they are that rate and the smallest size that carries it. Throughput is meant without its noise: what the
/// sizes chosen were worth.
/// </summary>
public sealed record ClimbMetrics
{
    private const double Reached = 0.95;
    private const double Kept = 0.93;
    private const double KeptSeconds = 10;
    private const double LastSeconds = 60;

    /// <summary>Seconds to the first moment at 0.95 X* whose next 10 s average at least 0.93 X*; infinite when there is none. Of the first workload
    /// only.</summary>
    public required double ConvergeSeconds { get; init; }

    /// <summary>Completions until then; infinite when there is no such moment.</summary>
    public required double ConvergeCompletions { get; init; }

    /// <summary>The same from the last workload change on; NaN without one.</summary>
    public required double RecoverSeconds { get; init; }

    /// <summary>Completions from the last workload change until then; NaN without one.</summary>
    public required double RecoverCompletions { get; init; }

    /// <summary>1 - delivered / possible, of the whole run.</summary>
    public required double Regret { get; init; }

    /// <summary>1 - delivered / possible, of its second half, probing included.</summary>
    public required double SteadyRegret { get; init; }

    /// <summary>Delivered / possible, of the last minute.</summary>
    public required double ShareOfPeak { get; init; }

    /// <summary>Mean size of the last minute, weighted by time, in threads.</summary>
    public required double ThreadsLastMinute { get; init; }

    /// <summary>The same over N*.</summary>
    public required double ThreadsOverBest { get; init; }

    /// <summary>The first size above the start, over N*; zero when the run began at or above N* or never went above its start.</summary>
    public required double FirstJumpOverBest { get; init; }

    /// <summary>Greatest of the later steps up that lead beyond N*: size after it over size before it, or over N* if that was more. Steps of one thread do not
    /// count; one when there is none.</summary>
    public required double LargestLaterStep { get; init; }

    /// <summary>Largest size in force, in threads.</summary>
    public required int Peak { get; init; }

    /// <summary>Reads a run.</summary>
    public static ClimbMetrics Of(ClimbRun run)
    {
        IReadOnlyList<SimulationPoint> points = run.Points;
        WorkloadChange? last = run.Settings.Changes.LastOrDefault(c => c.At < run.Seconds);
        CostCurve end = last?.Curve ?? run.Curve;
        double firstEnd = run.Settings.Changes.Count > 0 ? Math.Min(run.Seconds, run.Settings.Changes[0].At) : run.Seconds;
        (double convergeSeconds, double convergeCompletions) = Reach(points, run, 0, firstEnd, run.Curve);
        (double recoverSeconds, double recoverCompletions) = last is null ? (double.NaN, double.NaN) : Reach(points, run, last.At, run.Seconds, end);
        double threads = MeanSize(points, Math.Max(0, run.Seconds - LastSeconds), run.Seconds);
        (double firstJump, double laterStep) = Steps(run);
        return new()
        {
            ConvergeSeconds = convergeSeconds,
            ConvergeCompletions = convergeCompletions,
            RecoverSeconds = recoverSeconds,
            RecoverCompletions = recoverCompletions,
            Regret = 1 - Share(points, 0, run.Seconds),
            SteadyRegret = 1 - Share(points, run.Seconds / 2, run.Seconds),
            ShareOfPeak = Share(points, Math.Max(0, run.Seconds - LastSeconds), run.Seconds),
            ThreadsLastMinute = threads,
            ThreadsOverBest = threads / run.Settings.BestSize(end),
            FirstJumpOverBest = firstJump,
            LargestLaterStep = laterStep,
            Peak = points.Max(p => p.Target),
        };
    }

    private static (double Seconds, double Completions) Reach(IReadOnlyList<SimulationPoint> points, ClimbRun run, double from, double to, CostCurve curve)
    {
        double best = run.Settings.BestRate(curve);
        int ahead = 0;
        double? before = null;
        for (int i = 0; i < points.Count && points[i].Time + KeptSeconds <= to + 1e-6; i++)
        {
            SimulationPoint point = points[i];
            if (point.Time < from - 1e-6)
            {
                continue;
            }

            before ??= point.Delivered;
            if (point.Rate < Reached * best)
            {
                continue;
            }

            double end = point.Time + KeptSeconds;
            if (Delivered(points, end, ref ahead) - point.Delivered >= Kept * best * KeptSeconds)
            {
                return (point.Time - from, point.Delivered - before.Value);
            }
        }

        return (double.PositiveInfinity, double.PositiveInfinity);
    }

    private static double Share(IReadOnlyList<SimulationPoint> points, double from, double to)
    {
        int index = 0;
        int ideal = 0;
        double delivered = Delivered(points, from, ref index);
        double possible = Value(points, from, p => p.Ideal, ref ideal);
        return (Delivered(points, to, ref index) - delivered) / (Value(points, to, p => p.Ideal, ref ideal) - possible);
    }

    private static double Delivered(IReadOnlyList<SimulationPoint> points, double time, ref int index) => Value(points, time, p => p.Delivered, ref index);

    // Between two moments what accumulates grows in a straight line; the index only moves on, so that a whole run is read once.
    private static double Value(IReadOnlyList<SimulationPoint> points, double time, Func<SimulationPoint, double> value, ref int index)
    {
        while (index < points.Count - 1 && points[index + 1].Time < time)
        {
            index++;
        }

        if (index == points.Count - 1)
        {
            return value(points[index]);
        }

        SimulationPoint low = points[index];
        SimulationPoint high = points[index + 1];
        double length = high.Time - low.Time;
        double share = length > 0 ? Math.Clamp((time - low.Time) / length, 0, 1) : 1;
        return value(low) + (share * (value(high) - value(low)));
    }

    private static double MeanSize(IReadOnlyList<SimulationPoint> points, double from, double to)
    {
        double sum = 0;
        for (int i = 0; i < points.Count - 1; i++)
        {
            double length = Math.Min(points[i + 1].Time, to) - Math.Max(points[i].Time, from);
            sum += Math.Max(0, length) * points[i].Target;
        }

        return sum / (to - from);
    }

    private static (double First, double Later) Steps(ClimbRun run)
    {
        double first = 0;
        double later = 1;
        bool isFirst = run.Start < run.Settings.BestSize(run.Curve);
        for (int i = 1; i < run.Points.Count; i++)
        {
            int before = run.Points[i - 1].Target;
            int after = run.Points[i].Target;
            if (after <= before)
            {
                continue;
            }

            int best = run.Settings.BestSize(run.Settings.Changes.LastOrDefault(c => c.At <= run.Points[i].Time)?.Curve ?? run.Curve);
            if (isFirst)
            {
                if (after <= run.Start)
                {
                    // Only back from a probe downwards.
                    continue;
                }

                isFirst = false;
                first = (double)after / best;
            }
            else if (after > best && after > before + 1)
            {
                later = Math.Max(later, (double)after / Math.Max(before, best));
            }
        }

        return (first, later);
    }
}
