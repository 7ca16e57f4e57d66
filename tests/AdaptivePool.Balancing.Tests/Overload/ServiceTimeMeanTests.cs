using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Balancing.Tests.Overload;

public sealed class ServiceTimeMeanTests
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void Answers_Many_StandAtTwiceTwentyLessOne()
    {
        ServiceTimeMean mean = new();
        mean.Answers.ShouldBe(0);
        mean.Value.ShouldBeNull();
        for (int i = 1; i <= 400; i++)
        {
            mean.Observe(s_look * 0.001 * i, i, TimeSpan.FromMilliseconds(20 * i));
        }

        mean.Answers.ShouldBe(39, 1);
        mean.Value!.Value.TotalMilliseconds.ShouldBe(20, 0.001);
    }

    [Fact]
    public void Answers_OfTheFirstLook_AreThoseThatEnded()
    {
        ServiceTimeMean mean = new();
        mean.Observe(s_look, 5, TimeSpan.FromMilliseconds(100));
        mean.Answers.ShouldBe(5, 1e-9);
        mean.Observe(s_look * 2, 5, TimeSpan.FromMilliseconds(100));
        mean.Answers.ShouldBe(5, 1e-9);
    }

    [Fact]
    public void Answers_OneAfterALongSilence_IsWorthHardlyMoreThanItself()
    {
        ServiceTimeMean mean = new();
        mean.Observe(s_look, 100, TimeSpan.FromSeconds(2));
        mean.Observe(TimeSpan.FromSeconds(10), 101, TimeSpan.FromSeconds(2.001));
        mean.Answers.ShouldBeInRange(1, 1.1);
        mean.Value!.Value.TotalMilliseconds.ShouldBeLessThan(2);
    }
}
