using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>One round of a case with classes that have nothing to do: whether they take threads from the one that has.</summary>
internal static class IdleClassesRun
{
    private const int MaxThreads = 32;
    private const int Sleepers = 64;
    private static readonly TimeSpan s_sleep = TimeSpan.FromMilliseconds(200);

    public static void Run(ChildContext child, int others)
    {
        // Compiles what both measure.
        Sleep(child.Pool.WithMaximum(MaxThreads, others + 2), 1);
        double alone = Sleep(child.Pool.WithMaximum(MaxThreads, others + 2), Sleepers).Seconds;
        ComparedPool pool = child.Pool.WithMaximum(MaxThreads, others + 2);
        Use(pool, others);
        (double seconds, int peak) = Sleep(pool, Sleepers);
        child.Report("all-done-s", seconds);
        child.Report("to-alone", seconds / alone);
        child.Report("peak-threads", peak);
    }

    // One after the other, as requests of an application that warms up.
    private static void Use(ComparedPool pool, int classes)
    {
        for (int i = 0; i < classes; i++)
        {
            pool.GetClass("used " + i).Run(static () => Task.CompletedTask).Wait();
        }
    }

    private static (double Seconds, int Peak) Sleep(ComparedPool pool, int count)
    {
        ComparedClass sleepers = pool.GetClass("sleep");
        PeakSampler sampler = new(pool);
        long start = Stopwatch.GetTimestamp();
        Task.WaitAll(Enumerable.Range(0, count).Select(_ => sleepers.Run(static () =>
        {
            Thread.Sleep(s_sleep);
            return Task.CompletedTask;
        })));
        return (Stopwatch.GetElapsedTime(start).TotalSeconds, sampler.Peak);
    }
}
