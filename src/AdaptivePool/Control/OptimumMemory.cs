namespace AdaptivePool.Control;

/// <summary>
/// Remembers the best sizes found, by work class and workload profile (seed 000, "Generalization And Future Work"). Bounded: the record that was neither recalled nor remembered for longest makes room.
/// Deterministic, no clock. Not safe for concurrent use.
/// </summary>
public sealed class OptimumMemory
{
    /// <summary>Records kept by default.</summary>
    public const int DefaultCapacity = 64;

    /// <summary>
    /// Farthest distance at which a record is recalled: every duration within a factor of 1.6, clients within 2.6, the same cores. A recalled size is verified before it is kept, so a wrong one costs a trial;
    /// one that is not found costs a search.
    /// </summary>
    public const double RecallDistance = 0.47;

    /// <summary>Farthest distance at which a record is replaced instead of a new one being made: half of the above, so that records never lie closer together than they are told apart.</summary>
    public const double MergeDistance = RecallDistance / 2;

    private readonly OptimumRecord[] _records;
    private readonly long[] _usedAt;
    private long _uses;

    /// <summary>Creates an empty memory.</summary>
    /// <param name="capacity">Records to keep, 1 to 10,000, default 64.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="capacity"/> is out of its range.</exception>
    public OptimumMemory(int capacity = DefaultCapacity)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, 10_000);
        _records = new OptimumRecord[capacity];
        _usedAt = new long[capacity];
    }

    /// <summary>Records there are.</summary>
    public int Count { get; private set; }

    /// <summary>Changes whenever a record is added, replaced or forgotten: what was saved is out of date.</summary>
    public long Version { get; private set; }

    /// <summary>The record of the class nearest to a profile.</summary>
    /// <param name="className">The work class.</param>
    /// <param name="profile">The kind of work.</param>
    /// <returns>The record; <see langword="null"/> when none is within <see cref="RecallDistance"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="className"/> is null.</exception>
    public OptimumRecord? Recall(string className, in WorkloadProfile profile)
    {
        ArgumentNullException.ThrowIfNull(className);
        int found = Nearest(className, profile, RecallDistance);
        if (found < 0)
        {
            return null;
        }

        _usedAt[found] = ++_uses;
        return _records[found];
    }

    /// <summary>Keeps an optimum; it replaces a record nearer than <see cref="MergeDistance"/>. A profile that tells nothing is not kept.</summary>
    /// <param name="className">The work class.</param>
    /// <param name="profile">The kind of work.</param>
    /// <param name="size">The best size, in threads; one or more.</param>
    /// <param name="throughput">Completions per second there; more than zero.</param>
    /// <param name="isDemandLimited">There was no work for more. Default false.</param>
    /// <exception cref="ArgumentNullException"><paramref name="className"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="size"/> is under 1, or <paramref name="throughput"/> is no positive number.</exception>
    public void Remember(string className, in WorkloadProfile profile, int size, double throughput, bool isDemandLimited = false)
    {
        ArgumentNullException.ThrowIfNull(className);
        ArgumentOutOfRangeException.ThrowIfLessThan(size, 1);
        if (!WorkloadProfile.IsKnown(throughput))
        {
            throw new ArgumentOutOfRangeException(nameof(throughput), throughput, "must be more than 0 and finite");
        }

        if (!profile.IsTelling)
        {
            return;
        }

        int place = Nearest(className, profile, MergeDistance);
        if (place < 0)
        {
            place = Count < _records.Length ? Count++ : LeastRecentlyUsed();
        }

        // The newest profile and not a mean: features that were not known then may be known now.
        _records[place] = new(className, profile, size, throughput, isDemandLimited);
        _usedAt[place] = ++_uses;
        Version++;
    }

    /// <summary>Forgets the record that <see cref="Recall"/> would give: it was tried and refused.</summary>
    /// <param name="className">The work class.</param>
    /// <param name="profile">The kind of work.</param>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="className"/> is null.</exception>
    public bool Forget(string className, in WorkloadProfile profile)
    {
        ArgumentNullException.ThrowIfNull(className);
        int found = Nearest(className, profile, RecallDistance);
        if (found < 0)
        {
            return false;
        }

        Count--;
        (_records[found], _usedAt[found]) = (_records[Count], _usedAt[Count]);
        _records[Count] = default;
        Version++;
        return true;
    }

    /// <summary>All records, the one used longest ago first: remembering them in this order gives the same memory again.</summary>
    public IReadOnlyList<OptimumRecord> ToList()
    {
        OptimumRecord[] records = _records[..Count];
        Array.Sort(_usedAt[..Count], records);
        return records;
    }

    private int Nearest(string className, in WorkloadProfile profile, double within)
    {
        int found = -1;
        for (int i = 0; i < Count; i++)
        {
            if (string.Equals(_records[i].ClassName, className, StringComparison.Ordinal) && ProfileDistance.Between(_records[i].Profile, profile) is var distance && distance < within)
            {
                within = distance;
                found = i;
            }
        }

        return found;
    }

    private int LeastRecentlyUsed() => Array.IndexOf(_usedAt, _usedAt.Min());
}
