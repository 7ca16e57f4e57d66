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
        _settling.Begin(100);
        _settling.Drop(40, 80);
        _settling.Remaining.ShouldBe(60);
        _settling.Drop(45, 80);
        _settling.IsActive.ShouldBeFalse("the last fifth of a round is not worth a sample");
    }

    [Fact]
    public void Drop_NothingEverCompletes_GivesUp()
    {
        _settling.Begin(100);
        for (int i = 0; i < 10; i++)
        {
            _settling.Drop(0, 100);
        }

        _settling.IsActive.ShouldBeFalse();
    }
}
