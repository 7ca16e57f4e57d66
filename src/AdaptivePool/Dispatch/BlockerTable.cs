namespace AdaptivePool.Dispatch;

/// <summary>
/// The kinds of blockers of a pool, and how many stacks may be looked at. The wait hook writes the table, so it takes no lock: an array is replaced by one
/// with one more entry. The table is bounded: a kind that no longer fits is counted as "(other)".
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class BlockerTable<TSync>
    where TSync : struct, ISync
{
    private const int MostEntries = 192;

    /// <summary>Stacks that may be looked at in a second. At 20 to 40 us each: under half a percent of a core.</summary>
    public const int LooksPerSecond = 100;

    /// <summary>Looks at once after a quiet time: enough to name every worker of a pool that starves.</summary>
    public const int MostLooks = 256;

    private static readonly long s_lookTicks = Stopwatch.Frequency / LooksPerSecond;

    private readonly BlockerEntry<TSync> _other = new(null, "(other)", null, "(other)");
    private BlockerEntry<TSync>[] _entries = [];

    // The time up to which looks are used up: a bucket of looks that fills with time, as one number.
    private PaddedLong _lookAt = new() { Value = long.MinValue };
    private bool _hasFindings;

    /// <summary>Whether a look is allowed, as far as can be seen without taking one. A hint.</summary>
    public bool MayLook
    {
        get
        {
            long now = TSync.Timestamp();
            return AfterLook(TSync.RelaxedRead(ref _lookAt.Value), now) <= now;
        }
    }

    /// <summary>Whether code was found that must not block and is not reported yet.</summary>
    public bool HasFindings => TSync.RelaxedRead(ref _hasFindings);

    public IEnumerable<BlockerEntry<TSync>> Entries => TSync.RelaxedRead(ref _entries).Append(_other);

    /// <summary>Takes one of the looks at a stack.</summary>
    public bool TryTakeLook() => TryTakeLook(TSync.Timestamp());

    /// <summary>The same at a given time, in ticks of the stopwatch.</summary>
    public bool TryTakeLook(long now)
    {
        long before = TSync.RelaxedRead(ref _lookAt.Value);
        while (true)
        {
            long after = AfterLook(before, now);
            if (after > now)
            {
                return false;
            }

            // Pairs with itself: of several takers each gets a look of its own.
            long seen = TSync.CompareExchange(ref _lookAt.Value, after, before);
            if (seen == before)
            {
                return true;
            }

            before = seen;
        }
    }

    /// <summary>The entry of a kind. Added when there is none and there is room for it.</summary>
    public BlockerEntry<TSync> Get(string? method, string kind, string? reason, string className)
    {
        while (true)
        {
            BlockerEntry<TSync>[] entries = TSync.RelaxedRead(ref _entries);
            if (Find(entries, method, kind, reason, className) is { } entry)
            {
                return entry;
            }

            if (entries.Length >= MostEntries)
            {
                return _other;
            }

            // Pairs with itself: of two threads that add an entry, one comes first, and the other looks again. The runtime publishes a new object's content
            // with its reference.
            var added = new BlockerEntry<TSync>(method, kind, reason, className);
            if (ReferenceEquals(TSync.RelaxedCompareExchange(ref _entries, [.. entries, added], entries), entries))
            {
                return added;
            }
        }
    }

    /// <summary>The entry of waits that are not declared; <see langword="null"/> where there is none.</summary>
    public BlockerEntry<TSync>? Find(string? method, string kind, string className) =>
        Find(TSync.RelaxedRead(ref _entries), method, kind, null, className);

    /// <summary>Notes that the table has a finding that is not reported yet.</summary>
    public void NoteFindings() => TSync.RelaxedWrite(ref _hasFindings, true);

    /// <summary>Takes the findings. Monitor only. The mark is cleared first, so that a finding after the look raises it again.</summary>
    public BlockerEntry<TSync>[] TakeFindings()
    {
        TSync.RelaxedWrite(ref _hasFindings, false);

        // Pairs with the note in a worker: the entry's mark is set before the table's.
        TSync.Fence();
        return [.. Entries.Where(static entry => entry.TakeFinding())];
    }

    /// <summary>The time up to which looks are used up after one more. When it is later than now, no look is left.</summary>
    private static long AfterLook(long usedUpTo, long now) => Math.Max(usedUpTo, now - (MostLooks * s_lookTicks)) + s_lookTicks;

    // A linear search: the caller has found the wait by a look at a stack, or has waited for 20 ms.
    private static BlockerEntry<TSync>? Find(BlockerEntry<TSync>[] entries, string? method, string kind, string? reason, string className) =>
        Array.Find(entries, entry => entry.Is(method, kind, reason, className));
}
