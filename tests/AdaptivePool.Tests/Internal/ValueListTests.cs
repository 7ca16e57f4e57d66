using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

public sealed class ValueListTests
{
    [Fact]
    public void Add_Many_AllAreThere()
    {
        ValueList<int> list = ValueLists.Of(Enumerable.Range(0, 100));
        Read(list).ShouldBe(Enumerable.Range(0, 100));
        list[7] = 700;
        list[7].ShouldBe(700);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(30)]
    [InlineData(100)]
    public void RemoveFirst_OrTruncate_TheOthersStay(int count)
    {
        ValueList<int> list = ValueLists.Of(Enumerable.Range(0, 100));
        list.RemoveFirst(count);
        Read(list).ShouldBe(Enumerable.Range(count, 100 - count));

        list = ValueLists.Of(Enumerable.Range(0, 100));
        list.Truncate(count);
        Read(list).ShouldBe(Enumerable.Range(0, count));
        list.Add(-1);
        list[count].ShouldBe(-1);
    }

    [Fact]
    public void RemovedValues_AreNotKeptAlive()
    {
        var list = new ValueList<Holder>();
        WeakReference[] removed = [AddOne(list), AddOne(list), AddOne(list)];
        list.RemoveFirst(1);
        list.Truncate(1);
        Eventually.Go(removed[0]);
        Eventually.Go(removed[2]);
        removed[1].IsAlive.ShouldBeTrue();
        list[0].Held.ShouldNotBeNull();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference AddOne(ValueList<Holder> list)
    {
        object held = new();
        list.Add(new Holder(held));
        return new WeakReference(held);
    }

    private static IEnumerable<int> Read(ValueList<int> list) => Enumerable.Range(0, list.Count).Select(i => list[i]);

    private readonly record struct Holder(object Held);
}
