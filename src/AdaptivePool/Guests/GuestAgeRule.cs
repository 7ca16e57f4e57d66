namespace AdaptivePool.Guests;

/// <summary>When a guest counts as long: it has been seen in the same request over several looks that came in time.</summary>
internal static class GuestAgeRule
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMilliseconds(5);

    /// <summary>A guest that runs or sleeps for so long is long. Two periods: a thread that waits for a core does so for 3 to 6 ms.</summary>
    public static readonly TimeSpan Long = TimeSpan.FromMilliseconds(10);

    /// <summary>A look that comes this late says nothing: the process stood still, as in a collection, or this thread did not get the CPU.</summary>
    public static readonly TimeSpan Late = TimeSpan.FromMilliseconds(12);

    /// <summary>For how long the watch goes on looking where no guest was seen.</summary>
    public static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1);

    /// <summary>Age of the request that runs in a slot.</summary>
    /// <param name="before">Age at the look before.</param>
    /// <param name="isSame">Whether the same request ran then.</param>
    /// <param name="elapsed">Time since the look before.</param>
    public static TimeSpan Age(TimeSpan before, bool isSame, TimeSpan elapsed) =>
        !isSame ? TimeSpan.Zero : elapsed >= Late ? before : before + elapsed;

    /// <summary>Whether as many guests wait at once as there are cores: more than short waits for a lock would explain.</summary>
    public static bool IsCrowd(int waiting, int cores) => waiting >= Math.Max(1, cores);
}
