using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class ServerProbeRuleTests
{
    [Fact]
    public void MayProbeUp_FourHours_RarelyAndNeverForLong()
    {
        List<double> begins = [];
        int allowed = 0;
        bool before = false;
        for (int second = 0; second < 4 * 3600; second++)
        {
            bool may = ServerProbeRule.MayProbeUp(TimeSpan.FromSeconds(second));
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
}
