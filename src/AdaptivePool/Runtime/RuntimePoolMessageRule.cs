using System.Globalization;

namespace AdaptivePool.Runtime;

/// <summary>What is said about a starved runtime's pool, in one line: what is seen, where, and what to do.</summary>
internal static class RuntimePoolMessageRule
{
    /// <param name="delaySeconds">How long its work waits.</param>
    /// <param name="threads">Its threads; 0 where they cannot be told.</param>
    /// <param name="asleep">Those of them that sleep.</param>
    /// <param name="place">The program's method that most of the waiting work belongs to; <see langword="null"/> where none is seen.</param>
    public static string Of(double delaySeconds, int threads, int asleep, string? place)
    {
        string what = threads == 0 ? ""
            : 2 * asleep > threads ? string.Create(CultureInfo.InvariantCulture, $", {asleep} of its {threads} threads sleep in code that blocks")
            : string.Create(CultureInfo.InvariantCulture, $", {threads - asleep} of its {threads} threads compute");
        string where = place is null ? "" : $", most of the program's work that waits there is {place}";
        return string.Create(CultureInfo.InvariantCulture, $"The runtime's thread pool is starved: work waits {delaySeconds:F1} s there{what}{where}. ")
            + "The server reads requests there, so all of them wait. Run what blocks in Task.Run, after ConfigureAwait(false), in hosted "
            + "services or timers with AdaptiveThreadPool.Run, or await it. "
            + "This is said once; WatchRuntimePool = false switches it off";
    }
}
