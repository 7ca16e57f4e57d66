using System.Diagnostics;
using System.Text.Json;
using AdaptivePool.Diagnostics;
using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <remarks>What databases show of their pools: groups, queues, statistics, waits.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly QueueStatistics _queues;
    private PoolStatistics? _before;
    private long _stalls;

    /// <summary>State of the pool at this moment, with the items that wait.</summary>
    /// <param name="mostQueuedItems">
    /// Most items in <see cref="PoolSnapshot.QueuedItems"/>. 0 or more. Looking at a queue lets it take more memory for a while; do not ask for many
    /// continually.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostQueuedItems"/> is negative.</exception>
    public PoolSnapshot GetSnapshot(int mostQueuedItems)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(mostQueuedItems);
        PoolSnapshot snapshot = GetSnapshot();
        return mostQueuedItems == 0 ? snapshot : snapshot with { QueuedItems = _queues.Rows(mostQueuedItems, SinceCreation.TotalSeconds) };
    }

    /// <summary>
    /// Writes the state of the pool as one JSON object: names in camelCase, enumerations by name, times as days.hours:minutes:seconds. Without reflection, so
    /// also where an app is compiled ahead of time.
    /// </summary>
    /// <param name="writer">Where to.</param>
    /// <param name="mostQueuedItems">As of <see cref="GetSnapshot(int)"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="writer"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostQueuedItems"/> is negative.</exception>
    public void WriteJson(Utf8JsonWriter writer, int mostQueuedItems = 100)
    {
        ArgumentNullException.ThrowIfNull(writer);
        JsonSerializer.Serialize(writer, GetSnapshot(mostQueuedItems), PoolSnapshotJson.Default.PoolSnapshot);
    }

    /// <summary>
    /// Lets <see cref="PoolSnapshot.Statistics"/> and the waits of the classes begin anew. Metrics and all other numbers go on.
    /// </summary>
    public void ResetStatistics()
    {
        Volatile.Write(ref _before, Count());
        _queues.Reset();
    }

    private TimeSpan SinceCreation => Stopwatch.GetElapsedTime(_createdAt);

    private PoolStatistics Statistics => Volatile.Read(ref _before) is { } before ? Count().Since(before) : Count();

    private PoolStatistics Count() => new()
    {
        Elapsed = SinceCreation,
        ThreadsCreated = Set.ThreadsCreated,
        Wakes = Set.Wakes,
        Stalls = Interlocked.Read(ref _stalls),
        Throttles = _starter.Throttles,
        Completed = Set.CompletedCount(),
        Steals = Set.Steals(),
        Borrows = Set.Borrows(),
        HeldBack = Set.HeldBack.Count,
        KickUps = Set.HeldBack.KickUps,
    };

    /// <summary>Waits of items by what they waited for, as far as they were looked at.</summary>
    internal static IReadOnlyDictionary<string, long> WaitsOf(BlockerTable table) => table.Entries
        .GroupBy(static entry => entry.Kind, StringComparer.Ordinal)
        .Select(static kind => (kind.Key, Count: kind.Sum(static entry => entry.Count)))
        .Where(static kind => kind.Count > 0)
        .ToDictionary(static kind => kind.Key, static kind => kind.Count, StringComparer.Ordinal);
}
