using System.Globalization;
using System.Reflection;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch.Queues;

/// <summary>What the lanes of a class tell about themselves.</summary>
public sealed class PriorityLanesStatusTests
{
    private readonly PriorityLanes<RealSync> _lanes = new();

    [Fact]
    public void CountsOf_EachLane_CountsWhatWaitsAndWhatWasTaken()
    {
        _lanes.Enqueue("high", WorkPriority.High);
        _lanes.Enqueue("normal");
        _lanes.EnqueueFor("tenant", "of a tenant");
        _lanes.EnqueueAt(1, "of a group");
        _lanes.Enqueue("low", WorkPriority.Low);
        _lanes.Enqueue("low too", WorkPriority.Low);
        Counts().ShouldBe(((0, 1), (0, 3), (0, 2)));

        Take().ShouldBe("high");
        Counts().ShouldBe(((1, 0), (0, 3), (0, 2)));
        Take();
        Counts().ShouldBe(((1, 0), (1, 2), (0, 2)));
        while (_lanes.TryDequeue(out _))
        {
        }

        Counts().ShouldBe(((1, 0), (3, 0), (2, 0)));

        ((int, int) High, (int, int) Normal, (int, int) Low) Counts() =>
            (_lanes.CountsOf(WorkPriority.High), _lanes.CountsOf(WorkPriority.Normal), _lanes.CountsOf(WorkPriority.Low));
    }

    [Theory]
    [InlineData(WorkPriority.High, true)]
    [InlineData(WorkPriority.Normal, false)]
    [InlineData(WorkPriority.Low, true)]
    public void CountsTaken_SinceThereIsMoreThanOneLane(WorkPriority priority, bool counts)
    {
        _lanes.CountsTaken.ShouldBeFalse();
        _lanes.Enqueue("item", priority);
        _lanes.CountsTaken.ShouldBe(counts);
    }

    [Fact]
    public void HasTenantsOrRoutes_SinceTheFirst_OfNormalWorkAlone()
    {
        _lanes.HasTenantsOrRoutes(WorkPriority.Normal).ShouldBeFalse();
        _lanes.EnqueueAt(0, "of a group");
        _lanes.HasTenantsOrRoutes(WorkPriority.Normal).ShouldBeTrue();
        _lanes.HasTenantsOrRoutes(WorkPriority.High).ShouldBeFalse();
        _lanes.CountsTaken.ShouldBeFalse("routes alone have turns of their own");

        var others = new PriorityLanes<RealSync>();
        others.EnqueueFor("tenant", "of a tenant");
        others.HasTenantsOrRoutes(WorkPriority.Normal).ShouldBeTrue();
        others.HasTenantsOrRoutes(WorkPriority.Low).ShouldBeFalse();
        others.CountsTaken.ShouldBeTrue();
    }

    [Fact]
    public void Waiting_OfEachKind_SaysWhereItWaits()
    {
        _lanes.Enqueue("low", WorkPriority.Low);
        _lanes.EnqueueAt(1, "of a group");
        _lanes.EnqueueFor("tenant", "of a tenant");
        _lanes.Enqueue("normal");
        _lanes.Enqueue("high", WorkPriority.High);

        _lanes.Waiting.ShouldBe(
            [
                (WorkPriority.High, null, null, "high"), (WorkPriority.Normal, null, null, "normal"), (WorkPriority.Normal, "tenant", null, "of a tenant"),
                (WorkPriority.Normal, null, 1, "of a group"), (WorkPriority.Low, null, null, "low"),
            ]);
    }

    [Fact]
    public void KickUp_HalfOfTheTurnsAreNeeded_TheyAreTheLowLanesOwn()
    {
        for (int i = 0; i < 200; i++)
        {
            _lanes.Enqueue("high", WorkPriority.High);
        }

        for (int i = 0; i < 45; i++)
        {
            _lanes.Enqueue("low", WorkPriority.Low);
        }

        var after = TimeSpan.FromSeconds(1);
        _lanes.Ages.Look(0, 0, 0, after);
        string[] first = [.. Enumerable.Range(0, 40).Select(_ => Take())];
        first.Count(static item => item == "low").ShouldBe(2, "how fast turns follow each other is not known yet");
        _lanes.Ages.Look(0.5, 0, 0, after);
        string[] second = [.. Enumerable.Range(0, 40).Select(_ => Take())];
        second.Count(static item => item == "low").ShouldBe(23, "every second one, because 43 in less than half a second are more, and one in sixteen");
        _lanes.DueCount.ShouldBe(0, "nothing has waited too long yet");
    }

    /// <summary>The count of what was taken ran over after 2^31 items: from then on as many seemed to have waited too long.</summary>
    [Fact]
    public void DueCount_VeryManyTakenAndNobodyKickedUp_IsZero()
    {
        FieldInfo taken = typeof(PriorityLanes<RealSync>).GetField("_normalTaken", BindingFlags.Instance | BindingFlags.NonPublic)!;
        _lanes.EnqueueFor("tenant", "one");
        _lanes.EnqueueFor("tenant", "another");
        taken.SetValue(_lanes, Convert.ChangeType(int.MaxValue, taken.FieldType, CultureInfo.InvariantCulture));
        Take();
        Take();
        _lanes.DueCount.ShouldBe(0);
    }

    private string Take() => _lanes.TryDequeue(out object? item) ? (string)item : "nothing";
}
