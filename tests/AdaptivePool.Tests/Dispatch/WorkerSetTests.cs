using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class WorkerSetTests
{
    /// <summary>What no worker may take is told to sizing, which may sleep; what one may take is not.</summary>
    [Theory]
    [InlineData(1, 1, 0)]
    [InlineData(0, 1, 1)]
    [InlineData(1, 0, 1)]
    public void QueueRoot_NoWorkerMayTakeIt_TellsSizing(int limit, int places, int told)
    {
        int heldUp = 0;
        var set = new WorkerSet("alone", maxThreads: 2, stackSize: 0, startLimit: 1, ThreadSource.System, static _ => { }) { OnHeldUp = () => heldUp++ };
        set.Root.Set(places);
        var core = new ClassCore("class", limit, isInFlight: false);
        set.AddClass(core);

        set.QueueRoot(core, "item", RootPlace.Normal);

        heldUp.ShouldBe(told);
    }

    [Fact]
    public void QueuedCountAndMissingThreads_WorkInClassesSideBySide_CountEach()
    {
        var set = new WorkerSet("side by side", maxThreads: 8, stackSize: 0, startLimit: 1, ThreadSource.System, static _ => { });
        for (int i = 0; i < 4; i++)
        {
            var core = new ClassCore($"{i}", 1, isInFlight: false);
            set.AddClass(core);
            set.QueueRoot(core, "item", RootPlace.Normal);
            set.QueuedCount().ShouldBe(i + 1);
            set.MissingThreads().ShouldBe(i + 2, "one for each, and one that stays parked");
        }
    }

    /// <summary>Each item that a worker has beside the one that it runs is asked a thread for.</summary>
    [Fact]
    public void MissingThreads_LocalWorkToSpare_CountsEachItem()
    {
        var set = new WorkerSet("local", maxThreads: 8, stackSize: 0, startLimit: 8, new ThreadsThatNeverBegin(), static _ => { });
        set.InFlight.Limit.Set(8);
        set.TryStartWorker().ShouldBeTrue();
        Worker worker = set.WorkerOf(0).ShouldNotBeNull();
        int before = set.MissingThreads();
        for (int i = 0; i < 3; i++)
        {
            worker.Local.Push("item");
        }

        set.Spare.Note(worker.Id);

        set.MissingThreads().ShouldBe(before + 3);
    }
}
