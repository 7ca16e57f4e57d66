using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.BlockingIo;

/// <summary>
/// Few clients, many at once, and the few again. Reports how long the pool needs after each change. The reference is fixed: what is physically possible, not
/// what this pool reaches in the end. In a closed loop the rate says the latency too: clients / rate.
/// </summary>
public sealed class RampRun
{
    /// <summary>Share of the ideal rate from which the many count as served. A fixed pool of the ideal size reaches 0.82 to 0.85 beside its load
    /// generator.</summary>
    private const double UpShare = 0.75;

    /// <summary>Share of the ideal rate from which the few count as served: latency at most 1.25 times the ideal.</summary>
    private const double DownShare = 0.8;

    private const double WindowSeconds = 0.25;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(10);

    private readonly ChildContext _child;
    private readonly ItemCost _cost;
    private readonly ClosedLoop _loop;
    private readonly List<(double Seconds, long Completed, int HoldingWork)> _points = [];
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <summary>Prepares a run.</summary>
    /// <param name="child">The round.</param>
    /// <param name="cost">What an item costs.</param>
    /// <param name="many">Most clients.</param>
    public RampRun(ChildContext child, ItemCost cost, int many)
    {
        CpuBurner burner = child.CreateBurner();
        _child = child;
        _cost = cost;
        _loop = new(child.Pool.Whole, many, () =>
        {
            burner.Burn(cost.CpuMilliseconds);
            Thread.Sleep(cost.SleepMilliseconds);
        });
    }

    /// <summary>Runs three phases and reports.</summary>
    public void Measure(int few, int many, TimeSpan before, TimeSpan up, TimeSpan down)
    {
        PeakSampler sampler = new(_child.Pool);
        int cores = Environment.ProcessorCount;
        double ideal = _cost.IdealRate(many, cores);
        double idealFew = _cost.IdealRate(few, cores);
        Follow(few, before);
        double upAt = Follow(many, up);
        double downAt = Follow(few, down);

        // The rate of the many falls through the bounds of the few on its way down: from above is not yet within bounds.
        double recoverUp = FirstWithin(upAt, downAt, (rate, _) => rate >= UpShare * ideal);
        double recoverDown =
            FirstWithin(downAt, double.PositiveInfinity, (rate, holding) => rate >= DownShare * idealFew && rate <= idealFew / DownShare
            && holding <= Math.Ceiling(few / DownShare));
        _child.Report("recover-up-s", double.IsNaN(recoverUp) ? up.TotalSeconds : recoverUp, censored: double.IsNaN(recoverUp));
        _child.Report("recover-down-s", double.IsNaN(recoverDown) ? down.TotalSeconds : recoverDown, censored: double.IsNaN(recoverDown));
        _child.Report("rate-steady", Rate(downAt - (up.TotalSeconds * 0.3), downAt));
        _child.Report("ideal-rate", ideal);
        _child.Report("peak-threads", sampler.Peak);
    }

    private double Follow(int clients, TimeSpan duration)
    {
        double began = Stopwatch.GetElapsedTime(_start).TotalSeconds;
        _loop.Allow(clients);
        double now = began;
        while (now < began + duration.TotalSeconds)
        {
            Thread.Sleep(s_period);
            now = Stopwatch.GetElapsedTime(_start).TotalSeconds;
            _points.Add((now, _loop.Completed, _child.Pool.Read().HoldingWork));
        }

        return began;
    }

    /// <summary>Time from a change to the end of the first window within bounds; the window itself is the grain. NaN when there is none.</summary>
    private double FirstWithin(double from, double to, Func<double, int, bool> isWithin)
    {
        foreach ((double seconds, _, int holding) in _points)
        {
            if (seconds - WindowSeconds >= from && seconds <= to && isWithin(Rate(seconds - WindowSeconds, seconds), holding))
            {
                return seconds - from;
            }
        }

        return double.NaN;
    }

    private double Rate(double from, double to)
    {
        (double firstAt, long first, _) = _points.FindLast(p => p.Seconds <= from);
        (double lastAt, long last, _) = _points.FindLast(p => p.Seconds <= to);
        return lastAt > firstAt ? (last - first) / (lastAt - firstAt) : 0;
    }
}
