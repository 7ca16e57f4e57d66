using System.Diagnostics;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>
/// The kinds of blockers of a pool, and how many stacks may be looked at. Written from the wait hook, so without a lock: a table of open addresses to which
/// entries are only ever added. Bounded: what does not fit any more is counted as "(other)".
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class BlockerTable<TSync>
    where TSync : struct, ISync
{
    private const int Capacity = 256;
    private const int MostEntries = 192;

    /// <summary>Stacks that may be looked at in a second. At 20 to 40 us each: under half a percent of a core.</summary>
    public const int LooksPerSecond = 100;

    /// <summary>Looks at once after a quiet time: enough to name every worker of a pool that starves.</summary>
    public const int MostLooks = 256;

    private static readonly long s_lookTicks = Stopwatch.Frequency / LooksPerSecond;

    private readonly BlockerEntry<TSync>?[] _entries = new BlockerEntry<TSync>?[Capacity];
    private readonly BlockerEntry<TSync> _other = new(null, "(other)", null, "(other)");

    // The time up to which looks are used up: a bucket of looks that fills with time, as one number.
    private PaddedLong _lookAt = new() { Value = long.MinValue };
    private long _count;
    private bool _hasFindings;

    /// <summary>Whether a look may be done, as far as can be seen without taking one. A hint.</summary>
    public bool MayLook
    {
        get
        {
            long now = TSync.Timestamp();
            return AfterLook(TSync.RelaxedRead(ref _lookAt.Value), now) <= now;
        }
    }

    /// <summary>Whether code was found that must not block and nobody was told yet.</summary>
    public bool HasFindings => TSync.RelaxedRead(ref _hasFindings);

    public IEnumerable<BlockerEntry<TSync>> Entries
    {
        get
        {
            for (int i = 0; i < Capacity; i++)
            {
                if (TSync.RelaxedRead(ref _entries[i]) is { } entry)
                {
                    yield return entry;
                }
            }

            yield return _other;
        }
    }

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

    /// <summary>The entry of a kind; added when there is none and room for it.</summary>
    public BlockerEntry<TSync> Get(string? method, string kind, string? reason, string className)
    {
        while (true)
        {
            int index = Search(method, kind, reason, className);
            BlockerEntry<TSync>? entry = index < 0 ? _other : TSync.RelaxedRead(ref _entries[index]);
            if (entry is not null)
            {
                return entry;
            }

            var added = new BlockerEntry<TSync>(method, kind, reason, className);

            // Pairs with the reads in Search and with other adders: of two that want the place one gets it, and the other searches again.
            if (TSync.CompareExchange(ref _entries[index], added, null) is null)
            {
                TSync.Add(ref _count, 1);
                return added;
            }
        }
    }

    /// <summary>The entry of a kind, or the one for what does not fit; <see langword="null"/> when <see cref="Get"/> would add one.</summary>
    public BlockerEntry<TSync>? Find(string? method, string kind, string? reason, string className)
    {
        int index = Search(method, kind, reason, className);
        return index < 0 ? _other : TSync.RelaxedRead(ref _entries[index]);
    }

    /// <summary>Notes that there is something in the table that nobody was told.</summary>
    public void NoteFindings() => TSync.RelaxedWrite(ref _hasFindings, true);

    /// <summary>Takes the findings. Monitor only; the mark falls first, so that a finding after the look raises it again.</summary>
    public BlockerEntry<TSync>[] TakeFindings()
    {
        TSync.RelaxedWrite(ref _hasFindings, false);

        // Pairs with the note in a worker: the entry's mark is set before the table's.
        TSync.Fence();
        return [.. Entries.Where(static entry => entry.TakeFinding())];
    }

    /// <summary>The time up to which looks are used up after one more; when it is later than now, there is no look to take.</summary>
    private static long AfterLook(long usedUpTo, long now) => Math.Max(usedUpTo, now - (MostLooks * s_lookTicks)) + s_lookTicks;

    /// <summary>The place of a kind, or the empty one where it belongs; -1 when there is no room for it.</summary>
    private int Search(string? method, string kind, string? reason, string className)
    {
        int first = HashCode.Combine(method, kind, reason, className) & (Capacity - 1);
        for (int i = 0; i < Capacity; i++)
        {
            int index = (first + i) & (Capacity - 1);
            BlockerEntry<TSync>? entry = TSync.RelaxedRead(ref _entries[index]);
            if (entry is null)
            {
                return TSync.RelaxedRead(ref _count) < MostEntries ? index : -1;
            }

            if (entry.Is(method, kind, reason, className))
            {
                return index;
            }
        }

        return -1;
    }
}
