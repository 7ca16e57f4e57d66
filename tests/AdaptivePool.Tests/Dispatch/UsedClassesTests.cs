using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>The sizing thread looks at classes that have work, waiting or running, and at no others.</summary>
public sealed class UsedClassesTests
{
    private readonly WorkerSet _set = new("used", 4, 0, 1, ThreadSource.System, static _ => { });
    private readonly ClassCore[] _classes = [.. Enumerable.Range(0, 3).Select(static i => new ClassCore($"c{i}", 1, isInFlight: false))];

    public UsedClassesTests() => Array.ForEach(_classes, _set.AddClass);

    [Fact]
    public void LeaveIfUnused_NothingWasEverQueued_NoneIsUsed()
    {
        Array.ForEach(_classes, _set.LeaveIfUnused);
        _set.NextUsed(0).ShouldBeNull();
    }

    [Fact]
    public void Find_NumberSeenBeforeItsClass_IsNotFound()
    {
        _set.Ready.Note(_classes.Length);
        bool restored = false;
        _set.Ready.Find(0, _set.Ready.Capacity, ref restored).ShouldBe(-1);
        restored.ShouldBeFalse();
    }

    [Fact]
    public void LeaveIfUnused_WorkWaitsOrRuns_IsUsedUntilThereIsNone()
    {
        ClassCore used = _classes[1];
        _set.QueueRoot(used, new CallbackItem(static () => { }), RootPlace.Normal);
        Array.ForEach(_classes, _set.LeaveIfUnused);
        _set.NextUsed(0).ShouldBeSameAs(used, "an item waits");
        _set.NextUsed(2).ShouldBeNull();

        used.Limit.TryAcquire().ShouldBeTrue();
        _set.LeaveIfUnused(used);
        _set.NextUsed(0).ShouldBeSameAs(used, "one runs, and one waits");
        used.Queue.TryDequeue(out _).ShouldBeTrue();
        _set.LeaveIfUnused(used);
        _set.NextUsed(0).ShouldBeSameAs(used, "it runs");

        used.Limit.Release();
        _set.LeaveIfUnused(used);
        _set.NextUsed(0).ShouldBeNull();
    }
}
