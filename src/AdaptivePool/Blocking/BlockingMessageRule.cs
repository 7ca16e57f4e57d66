using System.Globalization;

namespace AdaptivePool.Blocking;

/// <summary>The state of a blocked pool in one line.</summary>
internal static class BlockingMessageRule
{
    private const int MostNamed = 5;

    /// <param name="blocked">Workers that are blocked.</param>
    /// <param name="active">Workers that hold an item. Idle ones do not count: nothing blocks them.</param>
    /// <param name="workers">Workers alive.</param>
    /// <param name="before">Workers alive when the pool was last well.</param>
    /// <param name="oldestWait">How long the oldest item waits.</param>
    /// <param name="blockers">What blocks the workers.</param>
    public static string OfReport(int blocked, int active, int workers, int before, TimeSpan oldestWait, IReadOnlyList<Blocker> blockers)
    {
        (string where, int count)? top = CountByPlace(blockers).Cast<(string, int)?>().FirstOrDefault();
        string who = blocked == active ? All(blocked) : $"{blocked} of {active} workers with an item are";
        string named = top is { } most ? $", {most.count} of them in {most.where}" : "";
        string change = before == workers ? "" : $"; {(before < workers ? "grew" : "shrank")} from {before} to {Workers(workers)}";
        return $"{who} blocked{named}, oldest item waits {Shown(oldestWait)}{change}";
    }

    public static string OfDeadlock(in DeadlockObservation seen, TimeSpan stuck, IReadOnlyList<Blocker> blockers)
    {
        string named = string.Join(", ", CountByPlace(blockers).Take(MostNamed).Select(static place => $"{place.Count} in {place.Where}"));
        (string most, string advice) = seen.Size < seen.MaxThreads
            ? ("the size is fixed", "raise the size that Sizing sets, or set EmergencyThreads")
            : ($"MaxThreads is {seen.MaxThreads}",
                "raise MaxThreads, or set EmergencyThreads; where the system allows fewer threads, raise pids.max or ulimit -u");
        return $"Deadlock: {All(seen.Blocked)} blocked ({named}), {most}, {Waiting(seen.Queued)}, and nothing has moved for {Shown(stuck)}. "
            + $"Await instead of blocking, {advice}";
    }

    public static string OfEnd(long queued) => $"The deadlock has ended, {Waiting(queued)}";

    /// <summary>The number of items that wait, in words.</summary>
    public static string Waiting(long items) => items == 1 ? "1 item waits" : $"{items} items wait";

    private static string All(int blocked) => blocked == 1 ? "the only worker with an item is" : $"all {blocked} workers with an item are";

    private static string Workers(int count) => count == 1 ? "1 worker" : $"{count} workers";

    /// <summary>The same place may be used by several classes.</summary>
    private static IEnumerable<(string Where, int Count)> CountByPlace(IReadOnlyList<Blocker> blockers) =>
        blockers.Where(static blocker => blocker.Blocked > 0)
            .GroupBy(static blocker => blocker.Where, StringComparer.Ordinal)
            .Select(static group => (group.Key, Count: group.Sum(static blocker => blocker.Blocked)))
            .OrderByDescending(static place => place.Count);

    private static string Shown(TimeSpan time) =>
        time.TotalSeconds < 10
            ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:F0} ms")
            : string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:F0} s");
}
