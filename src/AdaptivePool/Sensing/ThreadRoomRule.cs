using System.Globalization;

namespace AdaptivePool.Sensing;

/// <summary>
/// How many of the threads that the system allows a pool leaves to the rest of the process. It matters which code gets the last thread: a pool that is refused
/// a thread goes on with those that it has, while the runtime ends the process with "Out of memory", or never runs what was queued to its own pool.
/// </summary>
internal static class ThreadRoomRule
{
    /// <summary>Threads that a pool has in any case: one runs root work, one work in flight.</summary>
    public const int Least = 2;

    /// <summary>
    /// What the runtime and a web server start late, besides one thread for each core in the runtime's pool and in the socket's: timers, the compiler, the
    /// watchers of files, a few threads that the runtime's pool adds when it is held up.
    /// </summary>
    private const int Others = 16;

    /// <summary>At most one thread in this many is left: where the system allows few, the pool gets some of them.</summary>
    private const int MostOneIn = 4;

    /// <summary>
    /// An item that computes reads as blocked for a moment while it waits for the compiler, and a larger size that is only tried is soon given up.
    /// </summary>
    private const double ToldFromSeconds = 1;

    /// <summary>Threads that are left to the rest of the process.</summary>
    /// <param name="limit">How many the system allows.</param>
    /// <param name="cores">Processors of the process.</param>
    public static long Kept(long limit, int cores) => Math.Min(limit / MostOneIn, Others + (2L * cores));

    /// <summary>Threads that a pool may have.</summary>
    /// <param name="existing">Threads that it has.</param>
    /// <param name="free">How many more the process may start, without those that are kept; negative where some of the kept ones are in use.</param>
    /// <param name="pools">Pools of the process: each takes a part of what is free.</param>
    /// <param name="others">Threads that the other pools may still start by their last look: they may do so before they look again.</param>
    public static int Most(int existing, long free, int pools, long others)
    {
        // Each pool takes its part of what is missing, too: all of it in each of ten pools would be ten times too much.
        long part = (long)Math.Floor((double)free / Math.Max(1, pools));
        return (int)Math.Clamp(existing + (free > 0 ? Math.Clamp(free - others, 0, part) : part), Least, int.MaxValue);
    }

    /// <summary>Whether a bound that keeps the pool small is worth a message.</summary>
    /// <param name="seconds">For how long it has done so at each look; <see langword="null"/> where it does not.</param>
    public static bool IsTold(double? seconds) => seconds >= ToldFromSeconds;

    /// <summary>The message when the pool meets this bound, in one line: what is seen, and what to do.</summary>
    /// <param name="most">Threads that it may have.</param>
    public static string Message(int most) => string.Create(CultureInfo.InvariantCulture, $"The pool stays at {most} threads while work waits: ")
        + "the system allows this process few more (pids.max of its control group, or ulimit -u), and leaves those to the runtime. "
        + "Raise that limit, or use await instead of blocking";
}
