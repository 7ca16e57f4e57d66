using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>Work that changes must not leave a class far below what another size would bring, while it waits and the machine is idle.</summary>
public class WorkChangesTests
{
    // Of random changes; in each of those that are named another rule would keep the class where it was for ten seconds and longer.
    [Theory]
    [InlineData(75)] // Sleeps, then uneven waits: looks beside the sleeps had used up the budget.
    [InlineData(121)] // Even waits, then a local server, as many clients as threads: nothing waits, and all workers bring less.
    [InlineData(132)] // Burns, then uneven waits: the ramp resumes with a rate that it cannot reach again.
    [InlineData(201)] // Sleeps, then a local server after a pause: again nothing waits.
    [InlineData(231)] // Uneven waits that become longer while a step is on trial: a little less than half of the rate, which the kept rate followed.
    [InlineData(237)] // A server, then uneven waits, while a step is on trial: a fifth of the rate.
    public void Decide_WorkChanges_MostOfTheBestAfterFiveSeconds(int seed)
    {
        double share = new WorkChanges(seed).Run(out string log);

        share.ShouldBeGreaterThan(0.5, log);
    }

    [Fact]
    public void Decide_RandomChanges_MostOfTheBestAfterFiveSeconds()
    {
        const int Rare = 2;
        List<string> low = [];
        foreach (WorkChanges changes in Enumerable.Range(1, 120).Select(static seed => new WorkChanges(seed)).Where(static x => x.IsFound))
        {
            if (changes.Run(out string log) < 0.5)
            {
                low.Add(log);
            }
        }

        low.Count.ShouldBeLessThanOrEqualTo(Rare, string.Join('\n', low));
    }
}
