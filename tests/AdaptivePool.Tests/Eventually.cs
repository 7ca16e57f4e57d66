using System.Diagnostics;

namespace AdaptivePool.Tests;

/// <summary>Waiting with patience: the time given is only the limit after which a test is lost, never something a test measures.</summary>
public static class Eventually
{
    /// <summary>How long a test waits for something that must happen.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static void Be(Func<bool> condition, string because)
    {
        long start = Stopwatch.GetTimestamp();
        using var pause = new ManualResetEventSlim();
        while (!condition())
        {
            Stopwatch.GetElapsedTime(start).ShouldBeLessThan(Patience, because);
            pause.Wait(TimeSpan.FromMilliseconds(2));
        }
    }

    /// <summary>Looks until the pool is as expected; shows its last state otherwise.</summary>
    public static void Be(AdaptiveThreadPool pool, Func<PoolSnapshot, bool> condition, string because)
    {
        PoolSnapshot last = pool.GetSnapshot();
        try
        {
            Be(() => condition(last = pool.GetSnapshot()), because);
        }
        catch (ShouldAssertException)
        {
            throw new ShouldAssertException($"{because}, but the pool is {last}, classes: {string.Join("; ", last.Classes)}");
        }
    }

    /// <summary>Waits for the task and throws what it threw.</summary>
    public static T Result<T>(Task<T> task, string because = "the task must end")
    {
        Complete(task, because);
        return task.GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="Result{T}"/>
    public static void End(Task task, string because = "the task must end")
    {
        Complete(task, because);
        task.GetAwaiter().GetResult();
    }

    /// <summary>Waits until the task has ended in any way.</summary>
    public static void Complete(Task task, string because = "the task must end")
    {
        // Waiting on the task itself would let the scheduler run it on this thread.
        ((IAsyncResult)task).AsyncWaitHandle.WaitOne(Patience).ShouldBeTrue(because);
    }

    /// <summary>Collects until nothing keeps the object.</summary>
    public static void Go(WeakReference it, string because = "nothing keeps it") => Be(
        () =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !it.IsAlive;
        },
        because);

    public static void Set(ManualResetEventSlim signal, string because) => signal.Wait(Patience).ShouldBeTrue(because);

    public static void Zero(CountdownEvent countdown, string because) =>
        countdown.Wait(Patience).ShouldBeTrue(because + $" ({countdown.CurrentCount} of {countdown.InitialCount} are missing)");
}
