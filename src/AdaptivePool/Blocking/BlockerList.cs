using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Blocking;

/// <summary>The blockers of a pool for people: first those that block most workers now, then by time.</summary>
internal static class BlockerList
{
    private const int Most = 10;

    public static IReadOnlyList<Blocker> Of(BlockerTable table, IReadOnlyList<WorkerReading> readings)
    {
        var present = new Dictionary<BlockerEntry, (int Workers, TimeSpan Sum, TimeSpan Longest)>();
        foreach (WorkerReading reading in readings)
        {
            if (!reading.IsBlocked)
            {
                continue;
            }

            BlockerEntry? entry = reading.Site is { } site ? EntryOf(table, present.Keys, site, reading.ClassName) : reading.Unnamed;
            if (entry is not null)
            {
                TimeSpan length = reading.Site is null ? TimeSpan.FromSeconds(reading.UnnamedSeen - reading.UnnamedSince) : reading.SiteAge;
                (int workers, TimeSpan sum, TimeSpan longest) = present.GetValueOrDefault(entry);
                present[entry] = (workers + 1, sum + length, length > longest ? length : longest);
            }
        }

        return
        [
            .. table.Entries.Union(present.Keys)
                .Select(entry => present.TryGetValue(entry, out var now) ? entry.Describe(now.Workers, now.Sum, now.Longest)
                    : entry.Describe(0, TimeSpan.Zero, TimeSpan.Zero))
                .Where(static blocker => blocker.Count > 0)
                .OrderByDescending(static blocker => blocker.Blocked)
                .ThenByDescending(static blocker => blocker.TotalTime)
                .Take(Most),
        ];
    }

    /// <summary>A description adds nothing to the table, which is bounded: a wait gets its entry when it ends.</summary>
    private static BlockerEntry EntryOf(BlockerTable table, IEnumerable<BlockerEntry> present, WaitSite site, string className) =>
        table.Find(site.Method, site.Kind, className)
        ?? present.FirstOrDefault(entry => entry.Is(site.Method, site.Kind, null, className))
        ?? new BlockerEntry(site.Method, site.Kind, null, className);
}
