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
    [InlineData(10, 50, 1, 60)]
    [InlineData(10, 50, 2, 35)]
    [InlineData(10, 0, 2, 10)]
    [InlineData(10, -4, 2, 6)]
    [InlineData(10, -40, 2, 2)]
    [InlineData(10, long.MaxValue / 2, 1, int.MaxValue)]
    public void Most_IsWhatThereIsAndAPartOfWhatIsFree(int existing, long free, int pools, int most) =>
        ThreadRoomRule.Most(existing, free, pools, least: 2).ShouldBe(most);

    [Fact]
    public void Message_NamesTheBoundAndWhatToDo()
    {
        string message = ThreadRoomRule.Message(44);
        message.ShouldContain("44 threads");
        message.ShouldContain("pids.max");
        message.ShouldNotContain("\n");
    }
}
