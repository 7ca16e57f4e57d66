using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class SettlingTests
{
    [Fact]
    public void Begin_NothingToDrop_IsSettled()
    {
        var settling = new Settling();
        settling.Begin(0);
        settling.IsActive.ShouldBeFalse();
    }

    [Fact]
    public void Drop_FewerThanWanted_AsksForTheRest()
    {
        var settling = new Settling();
        settling.Begin(100);
        settling.Drop(40);
        settling.Remaining.ShouldBe(60);
        settling.Drop(45);
        settling.IsActive.ShouldBeFalse("the last fifth is not worth a sample");
    }

    [Fact]
    public void Drop_NothingEverCompletes_GivesUp()
    {
        var settling = new Settling();
        settling.Begin(100);
        for (int i = 0; i < 20; i++)
        {
            settling.Drop(0);
        }

        settling.IsActive.ShouldBeFalse();
    }
}
