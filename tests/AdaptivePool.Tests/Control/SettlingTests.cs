using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class SettlingTests
{
    private readonly Settling _settling = new();

    [Fact]
    public void Begin_NothingToDrop_IsSettled()
    {
        _settling.Begin(0);
        _settling.IsActive.ShouldBeFalse();
    }

    [Fact]
    public void Drop_FewerThanWanted_AsksForTheRest()
    {
        _settling.Begin(100, leaving: 50);
        _settling.Drop(40);
        (_settling.Remaining, _settling.Leaving).ShouldBe((60, 10));
        _settling.Drop(45);
        _settling.IsActive.ShouldBeFalse("the last fifth is not worth a sample");
    }

    [Fact]
    public void Drop_NothingEverCompletes_GivesUp()
    {
        _settling.Begin(100);
        for (int i = 0; i < 20; i++)
        {
            _settling.Drop(0);
        }

        _settling.IsActive.ShouldBeFalse();
    }
}
