using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class RestScheduleTests
{
    [Fact]
    public void Next_NothingMoves_DoublesUpToTheLongest()
    {
        var rest = new RestSchedule(4, 20);
        Enumerable.Range(0, 5).Select(_ => rest.Next()).ShouldBe([4, 8, 16, 20, 20]);
    }

    [Fact]
    public void Reset_AfterRests_BeginsAgain()
    {
        var rest = new RestSchedule(4, 128);
        rest.Next();
        rest.Next();
        rest.Reset();
        rest.Next().ShouldBe(4);
    }
}
