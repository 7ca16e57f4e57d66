using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class LimitObservationTests
{
    [Theory]
    [InlineData(79, 0, 0, false)]
    [InlineData(80, 0, 0, true)]
    [InlineData(0, 79, 0, false)]
    [InlineData(0, 80, 0, true)]
    [InlineData(0, 0, 79, false)]
    [InlineData(0, 0, 80, true)]
    [InlineData(40, 40, 0, false)]
    [InlineData(0, 40, 40, false)]
    public void Binds_OfAHundredThatWereLetIn_WhereMostHadToWaitOrAsManyWereRefused(int waited, int turnedAway, int overflowed, bool expected)
    {
        LimitObservation before = new() { Now = default, Limit = 4, Held = 0, Queued = 0, Admitted = 7, AdmittedAfterWait = 6, TurnedAway = 5, Overflowed = 4 };
        LimitObservation now = before with { Admitted = 107, AdmittedAfterWait = 6 + waited, TurnedAway = 5 + turnedAway, Overflowed = 4 + overflowed };

        now.Binds(before).ShouldBe(expected);
    }

    /// <summary>As the rate limiter of ASP.NET Core asks. Each that waited counted twice, so two in five were enough.</summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(9, true)]
    public async Task Binds_AskedWithoutWaitingFirst_CountsThoseThatWaitOnce(int waiting, bool expected)
    {
        using var test = new TestGate(1);
        LimitObservation before = test.Gate.Core.Observe();
        for (int i = 0; i < 10; i++)
        {
            RateLimitLease inside = test.Enter();
            List<Task<RateLimitLease>> asked = [];
            for (int next = 0; next < waiting; next++)
            {
                test.Gate.AttemptAcquire().IsAcquired.ShouldBeFalse();
                asked.Add(test.Wait());
            }

            inside.Dispose();
            foreach (Task<RateLimitLease> answer in asked)
            {
                (await answer).Dispose();
            }
        }

        test.Gate.Core.Observe().Binds(before).ShouldBe(expected);
    }
}
