using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

public sealed class HeldBackItemsTests : PoolTest
{
    private static readonly TimeSpan s_after = TimeSpan.FromSeconds(1);

    private readonly HeldBackItems<RealSync> _items = new();
    private readonly WorkClass _owner;
    private int _ran;

    public HeldBackItemsTests() => _owner = CreateSingleThreadPool().DefaultClass;

    [Fact]
    public void TryTakeDue_WaitedAsLong_GivesEachOnceInOrder()
    {
        HeldBackItem first = Add();
        _items.Look(10);
        HeldBackItem second = Add();
        _items.Look(10.5);

        _items.TryTakeDue(10.99, s_after, out _).ShouldBeFalse();
        Due(11).ShouldBe([first]);
        Due(11.5).ShouldBe([second]);
        Due(100).ShouldBeEmpty();
        (_items.Count, _items.KickUps).ShouldBe((2, 2));
    }

    [Fact]
    public void TryTakeDue_BegunMeanwhile_AreLeftOut()
    {
        HeldBackItem before = Add();
        before.Execute();
        HeldBackItem seen = Add();
        HeldBackItem waits = Add();
        _items.Look(1);
        seen.Execute();

        Due(2).ShouldBe([waits]);
        _items.KickUps.ShouldBe(1);
    }

    [Fact]
    public void TryTakeDue_NeverToo_GivesNone()
    {
        Add();
        _items.Look(0);

        _items.TryTakeDue(1e9, Timeout.InfiniteTimeSpan, out _).ShouldBeFalse();
    }

    [Fact]
    public void Execute_FromBothPlaces_RunsOnce()
    {
        HeldBackItem item = Add();

        item.Execute();
        item.Execute();

        (item.Item, _ran).ShouldBe((null, 1));
    }

    [Fact]
    public void Add_NobodyLooks_ThoseThatHaveBegunAreForgotten()
    {
        HeldBackItem waits = Add();
        for (int i = 0; i < 1_000; i++)
        {
            Add().Execute();
        }

        _items.Remembered.ShouldBeLessThan(5);
        Due(1).ShouldBeEmpty();
        Due(2).ShouldBe([waits]);
    }

    private List<object> Due(double now)
    {
        _items.Look(now);
        List<object> due = [];
        while (_items.TryTakeDue(now, s_after, out object? item))
        {
            due.Add(item);
        }

        return due;
    }

    private HeldBackItem Add()
    {
        var item = new HeldBackItem(_owner, new CallbackItem(() => _ran++));
        _items.Add(item);
        return item;
    }
}
