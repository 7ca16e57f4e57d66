namespace AdaptivePool.Tests.Dispatch;

public sealed class PoolEndTests
{
    /// <summary>The workers were told to end because nothing was left: what begins later is for the runtime's pool, and nobody waits for it here.</summary>
    [Fact]
    public void TryFinish_SomethingBeginsAfterTheWorkersWereTold_DoesNotWaitForIt()
    {
        var set = new WorkerSet("end", maxThreads: 2, stackSize: 0, startLimit: 1, ThreadSource.System, static _ => { });
        var end = new PoolEnd(set, static () => { });
        end.BeginOutstanding();
        end.Close(static () => { });
        TryFinish().ShouldBeFalse("something is outstanding");
        TryFinish().ShouldBeFalse();
        set.Stopped.ShouldBeFalse();
        end.EndOutstanding();
        bool isOver = false;
        Eventually.Be(() => (isOver = TryFinish()) || set.Stopped, "nothing is left");

        end.BeginOutstanding();

        Eventually.Be(() => isOver || TryFinish(), "there is no worker to wait for");

        bool TryFinish() => end.TryFinish(isTimeOver: false, static () => { });
    }
}
