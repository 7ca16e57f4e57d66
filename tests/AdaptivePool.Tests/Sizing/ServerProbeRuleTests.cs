using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class ServerProbeRuleTests
{
    [Fact]
    public void MayProbeUp_FourHours_RarelyAndNeverForLong()
    {
        ServerProbeRule rule = new();
        rule.Begin(TimeSpan.Zero);
        List<double> begins = [];
        int allowed = 0;
        bool before = false;
        for (int second = 0; second < 4 * 3600; second++)
        {
            bool may = rule.MayProbeUp(TimeSpan.FromSeconds(second));
            if (may && !before)
            {
                begins.Add(second);
            }

            allowed += may ? 1 : 0;
            before = may;
        }

        double[] gaps = [.. begins.Zip(begins.Skip(1), static (a, b) => b - a)];
        begins[0].ShouldBe(60, 1);
        gaps.ShouldAllBe(static gap => gap >= 249 && gap <= 252);
        allowed.ShouldBeInRange(begins.Count * 9, begins.Count * 11);
    }

    [Fact]
    public void Refuse_FourTimes_IsRefusedUntilASizeAboveIsBetter()
    {
        ServerProbeRule rule = new();
        rule.Begin(TimeSpan.Zero);
        bool[] refused = [.. Enumerable.Range(0, 4).Select(_ => { rule.Refuse(); return rule.IsRefused; })];
        refused.ShouldBe([false, false, false, true]);

        rule.Rise();
        rule.IsRefused.ShouldBeFalse();
    }

    [Fact]
    public void Begin_Again_FirstRestAgain()
    {
        ServerProbeRule rule = new();
        rule.Begin(TimeSpan.Zero);
        rule.MayProbeUp(TimeSpan.FromHours(1));

        rule.Begin(TimeSpan.FromHours(2));

        rule.MayProbeUp(TimeSpan.FromHours(2) + TimeSpan.FromSeconds(59)).ShouldBeFalse();
        rule.MayProbeUp(TimeSpan.FromHours(2) + TimeSpan.FromSeconds(61)).ShouldBeTrue();
    }
}
