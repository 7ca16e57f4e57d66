using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class SettlingTests
{
    [Fact]
    public void After_NothingToDrop_IsSettled()
    {
        Settling.After(0).IsActive.ShouldBeFalse();
        Settling.Over.IsActive.ShouldBeFalse();
    }

    [Fact]
    public void Drop_FewerThanWanted_AsksForTheRest()
    {
        Settling settling = Settling.After(100).Drop(40);
        settling.Remaining.ShouldBe(60);
        settling.Drop(45).IsActive.ShouldBeFalse("the last fifth is not worth a sample");
    }

    [Fact]
    public void Drop_NothingEverCompletes_GivesUp()
    {
        Settling settling = Settling.After(100);
        for (int i = 0; i < 20; i++)
        {
            settling = settling.Drop(0);
        }

        settling.IsActive.ShouldBeFalse();
    }
}
