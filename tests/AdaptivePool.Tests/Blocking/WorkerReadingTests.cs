using AdaptivePool.Blocking;
using AdaptivePool.Dispatch;
using AdaptivePool.Sensing;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Blocking;

public sealed class WorkerReadingTests
{
    private readonly BlockerEntry _unnamed = new(null, "managed wait", null, "c");

    [Theory]
    [InlineData(2.5, 0)]
    [InlineData(0.5, 1)]
    public void EndUnnamedForSite_WaitThatNowHasAName_IsNotCountedTwice(double siteSeconds, int counted)
    {
        // Seen without a name from 8 s to 9 s; now it is 10 s.
        var reading = new WorkerReading { Unnamed = _unnamed, UnnamedSince = 8, UnnamedSeen = 9, SiteAge = TimeSpan.FromSeconds(siteSeconds) };
        reading.EndUnnamedForSite(10);
        reading.Unnamed.ShouldBeNull();
        _unnamed.Describe(0, TimeSpan.Zero, TimeSpan.Zero).Count.ShouldBe(counted, "a wait before the named one counts, the same one does not");
    }

    /// <summary>A managed wait is over, and is counted until now. What the kernel said holds until it is asked again.</summary>
    [Theory]
    [InlineData(WorkerState.BlockedManaged, WorkerState.Running, 2)]
    [InlineData(WorkerState.BlockedKernel, WorkerState.BlockedKernel, 0)]
    [InlineData(WorkerState.Preempted, WorkerState.Preempted, 0)]
    [InlineData(WorkerState.Busy, WorkerState.Busy, 0)]
    public void Keep_NotMeasured_EndsAManagedWaitOnly(WorkerState before, WorkerState after, double countedSeconds)
    {
        var reading = new WorkerReading { State = before, Unnamed = _unnamed, UnnamedSince = 8, UnnamedSeen = 9,
            Site = new WaitSite("method", "lock", MayThrow: false, IsOwn: true, default) };
        reading.Keep(10);
        (reading.State, reading.Site, reading.UnnamedSeen).ShouldBe((after, null, 10));
        reading.Unnamed.ShouldBe(before == after ? _unnamed : null);
        Blocker counted = _unnamed.Describe(0, TimeSpan.Zero, TimeSpan.Zero);
        (counted.Count, counted.TotalTime.TotalSeconds).ShouldBe((countedSeconds > 0 ? 1 : 0, countedSeconds));
    }

    /// <summary>A worker that ended, or goes on with another item: what was seen of it keeps neither its name nor its place alive.</summary>
    [Fact]
    public void Begin_WorkerThatIsGone_NothingIsLeftOfIt()
    {
        var reading = new WorkerReading
        {
            Sequence = 3,
            State = WorkerState.BlockedManaged,
            Time = new ThreadTime(2, 1, 0),
            Unnamed = _unnamed,
            Site = new WaitSite("method", "lock", MayThrow: false, IsOwn: true, default),
        };
        reading.Begin(null, 0, 9);
        (reading.Worker, reading.Sequence, reading.State, reading.Time, reading.Unnamed, reading.Site)
            .ShouldBe((null, 0, WorkerState.Idle, ThreadTime.None, null, null));
    }
}
