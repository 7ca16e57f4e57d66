using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Rule R8: threads that cannot be created are survived, reported and tried again; queued work runs on those that live.</summary>
public sealed class ThreadCreationFailureTests : PoolTest
{
    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(6)]
    [InlineData(10)]
    public void Run_ThreadCreationFailsFromTheKth_AllWorkCompletesOnTheLivingWorkers(int firstFailure)
    {
        var threads = new FailingThreadSource(firstFailure);
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, Sizing = PoolSizing.Fixed(16) }, threads);

        Task<int>[] tasks = [.. Enumerable.Range(0, 1_000).Select(i => pool.Run(() => i))];
        tasks.Select(t => Eventually.Result(t, "work must run on the workers that live")).Sum().ShouldBe(499_500);
        Eventually.Be(pool, s => s.Existing < firstFailure, "those that were refused do not exist");
    }

    [Fact]
    public void Run_BlockedWorkersAndNoMoreThreads_CountsTheFailuresAndCompletesAfterwards()
    {
        var threads = new FailingThreadSource(3);
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, Sizing = PoolSizing.Fixed(16) }, threads);
        using var open = new ManualResetEventSlim();
        Task[] blocked = [.. Enumerable.Range(0, 8).Select(_ => pool.Run(open.Wait))];

        Eventually.Be(() => pool.GetSnapshot().ThreadCreationFailures > 0, "a refused thread is counted");
        open.Set();
        Array.ForEach(blocked, t => Eventually.End(t));
        threads.Failures.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Run_FirstThreadsRefusedThenGiven_TriesAgainAndCompletes()
    {
        var threads = new FailingThreadSource(1);
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 }, threads);
        Task<int> task = pool.Run(() => 11);
        Eventually.Be(() => threads.Failures > 0, "the pool tries to create a thread");

        threads.Recover();
        Eventually.Result(task, "the pool tries again when the system gives threads").ShouldBe(11);
    }

    [Fact]
    public void Run_NoMemoryForAWorker_CountsTheFailureAndTriesAgain()
    {
        var threads = new FailingThreadSource(1) { Throws = true };
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 }, threads);
        Task<int> task = pool.Run(() => 17);
        Eventually.Be(() => pool.GetSnapshot().ThreadCreationFailures > 0, "an exception on the starter's thread is a refusal");
        pool.GetSnapshot().Existing.ShouldBe(0, "what was never started is not counted");

        threads.Recover();
        Eventually.Result(task, "the starter lives").ShouldBe(17);
    }

    [Fact]
    public void MayGrow_MemoryForbidsThreads_IsFalseBelowTheMaximum()
    {
        var set = new WorkerSet("grow", 8, 0, 1, ThreadSource.System, static _ => { });
        set.MayGrow.ShouldBeTrue();
        set.MostThreads = 0;
        set.MayGrow.ShouldBeFalse();
    }

    [Fact]
    public void StartNew_LongRunningRefused_RunsOnAWorkerOrIsReported()
    {
        var threads = new FailingThreadSource(int.MaxValue);
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), threads);
        Eventually.End(pool.Run(() => { }));
        threads.Exhaust();

        bool reported = false;
        bool ran = false;
        try
        {
            ran = Eventually.Result(pool.Factory.StartNew(() => true, TaskCreationOptions.LongRunning));
        }
        catch (TaskSchedulerException)
        {
            reported = true;
        }

        (ran ^ reported).ShouldBeTrue();
        threads.Failures.ShouldBeGreaterThan(0);
        Eventually.Result(pool.Run(() => 13)).ShouldBe(13);
    }
}
