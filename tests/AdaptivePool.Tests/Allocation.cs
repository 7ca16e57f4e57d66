namespace AdaptivePool.Tests;

/// <summary>What code that runs again and again allocates.</summary>
internal static class Allocation
{
    // A collection that another test sets off in the meantime takes the rest of the thread's allocation buffer away, up to 8 KB, and that counts as allocated.
    // What the code itself allocates is there every time.
    private const int Attempts = 5;

    /// <summary>The least of several attempts, in bytes.</summary>
    public static long Of(Action action)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Attempts && least > 0; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
