using System.Diagnostics;

namespace AdaptivePool.Tests.Workers;

public sealed class WorkerSetTests
{
    [Fact]
    public void ThreadCreationSeconds_SeveralThreads_IsAMeanOfTheirTimes()
    {
        const int Threads = 6;
        using var threads = new HeldThreads();
        var set = new WorkerSet("mean", Threads, 0, 1, threads, static _ => { });
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Threads; i++)
        {
            set.TryStartWorker().ShouldBeTrue();
        }

        // So that all of them take about as long. Nothing depends on how long.
        using (var pause = new ManualResetEventSlim())
        {
            pause.Wait(TimeSpan.FromMilliseconds(100));
        }

        TimeSpan held = Stopwatch.GetElapsedTime(threads.LastStarted);
        threads.LetGo();
        Eventually.Be(() => set.ThreadsCreated == Threads, "all threads run");
        double mean = set.ThreadCreationSeconds;
        TimeSpan whole = Stopwatch.GetElapsedTime(start);
        set.Stop();
        Eventually.Be(() => set.Existing == 0, "the workers end");
        mean.ShouldBeInRange(held.TotalSeconds, whole.TotalSeconds, "no mean is outside of what it is made of");
    }
}
