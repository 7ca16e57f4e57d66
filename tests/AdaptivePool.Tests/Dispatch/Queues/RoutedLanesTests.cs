using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch.Queues;

public sealed class RoutedLanesTests
{
    private readonly RoutedLanes<RealSync> _lanes = new();

    [Fact]
    public void TryDequeue_OwnGroupHasWork_TakesThatFirst()
    {
        _lanes.Enqueue(2, "other");
        _lanes.Enqueue(0, "own");
        Take(group: 0, turn: 1).ShouldBe("own");
        Take(group: 0, turn: 2).ShouldBe("other");
        Take(group: 0, turn: 3).ShouldBeNull();
    }

    [Fact]
    public void TryDequeue_OwnGroupAlwaysHasWork_TheOthersComeInTurn()
    {
        for (int i = 0; i < 100; i++)
        {
            _lanes.Enqueue(0, "own");
        }

        _lanes.Enqueue(1, "second");
        _lanes.Enqueue(2, "third");
        string?[] taken = [.. Enumerable.Range(1, 40).Select(turn => Take(group: 0, (uint)turn))];
        taken.Where(static item => item != "own").ShouldBe(["second", "third"]);
    }

    [Fact]
    public void Count_OfAllAndOfOne_FollowsWhatIsThere()
    {
        _lanes.IsEmpty.ShouldBeTrue();
        _lanes.Enqueue(1, "a");
        _lanes.Enqueue(1, "b");
        _lanes.Enqueue(3, "c");
        (_lanes.Count, _lanes.CountOf(0), _lanes.CountOf(1), _lanes.CountOf(3), _lanes.CountOf(9)).ShouldBe((3, 0, 2, 1, 0));
        _lanes.Items.Select(static it => it.Item).ShouldBe(["a", "b", "c"]);
        _lanes.IsEmpty.ShouldBeFalse();
        while (Take(group: 0, turn: 1) is not null)
        {
        }

        (_lanes.IsEmpty, _lanes.Count).ShouldBe((true, 0));
    }

    private string? Take(int group, uint turn) => _lanes.TryDequeue(group, turn, out object? item, out _) ? (string)item : null;
}
