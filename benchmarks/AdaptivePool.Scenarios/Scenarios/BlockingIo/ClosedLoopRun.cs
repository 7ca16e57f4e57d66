using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.BlockingIo;

/// <summary>Drives a closed loop and reports its rates.</summary>
public static class ClosedLoopRun
{
    /// <summary>Share of the run, at its end, that counts as steady.</summary>
    private const double SteadyShare = 0.3;

    /// <summary>Measures one run from a cold pool.</summary>
    /// <param name="child">The round.</param>
    /// <param name="cost">What an item costs.</param>
    /// <param name="duration">Length of the run.</param>
    /// <param name="clientsAt">Number of clients at a time since the start.</param>
    public static void Measure(ChildContext child, ItemCost cost, TimeSpan duration, Func<TimeSpan, int> clientsAt)
    {
        CpuBurner burner = child.CreateBurner();
        PeakSampler sampler = new(child.Pool);
        int most = clientsAt(duration);
        ClosedLoop loop = new(child.Pool.Whole, most, () =>
        {
            burner.Burn(cost.CpuMilliseconds);
            if (cost.SleepMilliseconds > 0)
            {
                Thread.Sleep(cost.SleepMilliseconds);
            }
        });

        long start = Stopwatch.GetTimestamp();
        new Thread(() => Steer(loop, sampler, start, duration, clientsAt)) { IsBackground = true, Name = "steer" }.UnsafeStart();
        RateRecorder rates = RateRecorder.Record(() => loop.Completed, start, duration);
        child.Report("rate-1s", rates.Rate(0, 1));
        child.Report("rate-3s", rates.Rate(0, 3));
        child.Report("rate-steady", rates.Rate(rates.Seconds * (1 - SteadyShare), rates.Seconds));
        child.Report("ideal-rate", cost.IdealRate(most, Environment.ProcessorCount));
        child.Report("threads-steady", sampler.PeakHoldingWork);
        child.Report("target-steady", sampler.PeakTarget);
        child.Report("peak-threads", sampler.Peak);
    }

    private static void Steer(ClosedLoop loop, PeakSampler sampler, long start, TimeSpan duration, Func<TimeSpan, int> clientsAt)
    {
        int allowed = 0;
        bool steady = false;
        while (true)
        {
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            if (clientsAt(now) is var wanted && wanted != allowed)
            {
                allowed = wanted;
                loop.Allow(allowed);
            }

            if (!steady && now >= duration * (1 - SteadyShare))
            {
                steady = true;
                sampler.ForgetWork();
            }

            Thread.Sleep(20);
        }
    }
}
