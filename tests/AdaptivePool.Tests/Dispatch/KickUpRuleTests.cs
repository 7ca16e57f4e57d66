using AdaptivePool.Dispatch;
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
}
