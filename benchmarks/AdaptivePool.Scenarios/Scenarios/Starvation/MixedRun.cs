using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>One round of a mixed case: short items all the time, blockers from the middle on.</summary>
internal static class MixedRun
{
    private const double ShortMilliseconds = 0.1;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(0.5);

    /// <summary>Time within which the pool may recover before its latency counts.</summary>
    private static readonly TimeSpan s_grace = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_bound = TimeSpan.FromMilliseconds(20);

    public static void Run(ChildContext child, MixedCase mixed)
    {
        CpuBurner burner = child.CreateBurner();
        TimeSpan blocked = child.Seconds(4, 2);
        PeakSampler sampler = new(child.Pool);
        using BusyCores busy = new(mixed.Load, s_warmUp + blocked + TimeSpan.FromSeconds(20));
        using Blockers blockers = new(mixed.Blockers);
        ShortItems items = new(mixed.OtherClass ? child.Pool.GetClass("short") : child.Pool.Whole, () => burner.Burn(ShortMilliseconds), s_period);
        Thread.Sleep(s_warmUp);
        blockers.QueueAll(child.Pool, mixed.ArriveOver);
        long arrived = Stopwatch.GetTimestamp();
        Thread.Sleep(blocked);
        long released = Stopwatch.GetTimestamp();
        blockers.Release();
        bool done = blockers.Wait(TimeSpan.FromSeconds(15));
        long ended = Stopwatch.GetTimestamp();
        items.Stop();
        long judged = ShortItems.After(arrived, s_grace);
        TimeSpan? recovered = items.RecoveredAfter(arrived, released, s_bound);
        child.Report("short-p99-ms", items.Latency(judged, released).TotalMilliseconds);
        child.Report("recovery-ms", (recovered ?? blocked).TotalMilliseconds, censored: recovered is null);
        child.Report("all-done-s", Stopwatch.GetElapsedTime(arrived, ended).TotalSeconds, censored: !done);
        child.Report("peak-threads", sampler.Peak);
    }
}
