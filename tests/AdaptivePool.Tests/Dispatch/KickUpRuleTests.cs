using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch;

public sealed class KickUpRuleTests
{
    private const double Tick = 0.01;

    [Fact]
    public void Observe_AnyArrivals_EachIsDueAfterTheTimeAndATickAtMost() =>
        Prop.ForAll<int>(seed =>
        {
            var random = new Random(seed);
            var rule = new KickUpRule(TimeSpan.FromSeconds(1));
            int first = random.Next();
            List<double> arrivals = [];
            int taken = 0;
            for (int tick = 1; tick <= 400; tick++)
            {
                double now = tick * Tick;
                arrivals.AddRange(Enumerable.Range(0, random.Next(4)).Select(_ => now - (Tick * random.NextDouble())).Order());
                int due = unchecked(rule.Observe(now, arrivals.Count - taken, unchecked(first + taken)) - first);
                for (int item = taken; item < arrivals.Count; item++)
                {
                    double waited = now - arrivals[item];
                    (item < due || waited < 1 + (2 * Tick)).ShouldBeTrue($"item {item} waited {waited} s and is not due");
                    (item >= due || waited > 1 - (2.0 / 64) - (2 * Tick)).ShouldBeTrue($"item {item} is due after {waited} s");
                }

                taken += random.Next(Math.Min(3, arrivals.Count - taken + 1));
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(60));

    [Fact]
    public void Observe_Never_NothingIsDue()
    {
        var rule = new KickUpRule(Timeout.InfiniteTimeSpan);
        rule.Observe(0, 5, 3).ShouldBe(3);
        rule.Observe(1e6, 5, 3).ShouldBe(3);
    }

    [Fact]
    public void TryDequeue_LowWorkHasWaitedTooLong_EverySecondIsLow()
    {
        var lanes = new PriorityLanes<RealSync>();
        TimeSpan after = TimeSpan.FromSeconds(1);
        for (int i = 0; i < 100; i++)
        {
            lanes.Enqueue("low", WorkPriority.Low);
            lanes.Enqueue("high", WorkPriority.High);
        }

        lanes.KickUp(0, after);
        Take(16).Count(static item => item == "low").ShouldBe(1, "before, one in sixteen");
        lanes.DueCount.ShouldBe(0);
        lanes.KickUp(1, after);
        lanes.DueCount.ShouldBe(99);
        Take(32).Count(static item => item == "low").ShouldBe(18, "every second one, and one in sixteen");

        List<string> Take(int count) => [.. Enumerable.Range(0, count).Select(_ => lanes.TryDequeue(out object? item) ? (string)item : "nothing")];
    }

    [Fact]
    public void TryDequeue_NormalAndLowWorkHaveWaitedTooLong_EachHasItsTurn()
    {
        var lanes = new PriorityLanes<RealSync>();
        TimeSpan after = TimeSpan.FromSeconds(1);
        for (int i = 0; i < 100; i++)
        {
            lanes.Enqueue("low", WorkPriority.Low);
            lanes.Enqueue("normal");
            lanes.Enqueue("high", WorkPriority.High);
        }

        lanes.KickUp(0, after);
        lanes.KickUp(1, after);
        string[] taken = [.. Enumerable.Range(0, 64).Select(_ => lanes.TryDequeue(out object? item) ? (string)item : "nothing")];
        taken.Count(static item => item == "low").ShouldBe(20);
        taken.Count(static item => item == "normal").ShouldBe(20);
        taken.Count(static item => item == "high").ShouldBe(24);
    }
}
