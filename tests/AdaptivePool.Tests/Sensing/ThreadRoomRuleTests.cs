using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class ThreadRoomRuleTests
{
    [Theory]
    [InlineData(1_024, 2, 20)]
    [InlineData(4_096, 64, 144)]
    [InlineData(40, 2, 10)]
    [InlineData(3, 2, 0)]
    public void Kept_IsWhatTheRuntimeNeedsAndAQuarterAtMost(long limit, int cores, long kept) => ThreadRoomRule.Kept(limit, cores).ShouldBe(kept);

    [Theory]
    [InlineData(10, 50, 1, 0, 60)]
    [InlineData(10, 50, 2, 0, 35)]
    [InlineData(10, 50, 2, 25, 35)]
    [InlineData(10, 50, 2, 40, 20)]
    [InlineData(10, 50, 2, 50, 10)]
    [InlineData(10, 50, 2, int.MaxValue, 10)]
    [InlineData(10, 0, 2, 0, 10)]
    [InlineData(10, -4, 1, 0, 6)]
    [InlineData(10, -4, 2, 0, 8)]
    [InlineData(10, -3, 2, 9, 8)]
    [InlineData(10, -40, 2, 0, 2)]
    [InlineData(10, long.MaxValue / 2, 1, 0, int.MaxValue)]
    public void Most_IsWhatThereIsAndAPartOfWhatIsFree(int existing, long free, int pools, long others, int most) =>
        ThreadRoomRule.Most(existing, free, pools, others).ShouldBe(most);

    /// <summary>On full cores items that only compute read as blocked for a while, and one look at that was enough to blame the system's limit.</summary>
    [Theory]
    [InlineData(null, false)]
    [InlineData(0.0, false)]
    [InlineData(0.9, false)]
    [InlineData(1.0, true)]
    public void IsTold_OnlyOfWhatLasts(double? seconds, bool isTold) => ThreadRoomRule.IsTold(seconds).ShouldBe(isTold);

    /// <summary>A third of what is left to the runtime, and more, was taken by pools that looked at different times.</summary>
    [Theory]
    [InlineData(2)]
    [InlineData(10)]
    public void Most_PoolsThatLookAtDifferentTimes_NeverTakeMoreThanIsFree(int pools)
    {
        const int All = 1_000;
        for (int seed = 0; seed < 200; seed++)
        {
            var random = new Random(seed);
            int[] existing = [.. Enumerable.Repeat(ThreadRoomRule.Least, pools)];
            int[] most = [.. existing];
            for (int step = 0; step < 500; step++)
            {
                int i = random.Next(pools);
                if (random.Next(2) == 0)
                {
                    int others = Enumerable.Range(0, pools).Where(j => j != i).Sum(j => Math.Max(0, most[j] - existing[j]));
                    most[i] = ThreadRoomRule.Most(existing[i], All - existing.Sum(), pools, others);
                }
                else
                {
                    existing[i] = random.Next(3) == 0 ? random.Next(ThreadRoomRule.Least, existing[i] + 1) : Math.Max(existing[i], random.Next(most[i] + 1));
                }

                existing.Sum().ShouldBeLessThanOrEqualTo(All);
            }
        }
    }

    [Fact]
    public void Message_NamesTheBoundAndWhatToDo()
    {
        string message = ThreadRoomRule.Message(44);
        message.ShouldContain("44 threads");
        message.ShouldContain("pids.max");
        message.ShouldNotContain("\n");
    }
}
