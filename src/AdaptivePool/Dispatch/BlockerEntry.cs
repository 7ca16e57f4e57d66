namespace AdaptivePool.Dispatch;

/// <summary>The counts of one kind of blocker. Statistics: additions are never lost, and no other memory depends on their order.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class BlockerEntry<TSync>(string? method, string kind, string? reason, string className)
    where TSync : struct, ISync
{
    private const int Unwarned = 0;
    private const int Found = 1;
    private const int Told = 2;
    private long _count;
    private long _ticks;
    private long _longest;
    private int _warning;

    public string? Method { get; } = method;

    public string Kind { get; } = kind;

    public string? Reason { get; } = reason;

    public string ClassName { get; } = className;

    /// <summary>Waits that have ended.</summary>
    public long Count => TSync.RelaxedRead(ref _count);

    public bool Is(string? otherMethod, string otherKind, string? otherReason, string otherClass) =>
        (Method, Kind, Reason, ClassName) == (otherMethod, otherKind, otherReason, otherClass);

    public void Add(TimeSpan length)
    {
        TSync.Add(ref _count, 1);
        TSync.Add(ref _ticks, length.Ticks);
        long longest = TSync.RelaxedRead(ref _longest);
        while (length.Ticks > longest)
        {
            long before = TSync.CompareExchange(ref _longest, length.Ticks, longest);
            if (before == longest)
            {
                return;
            }

            longest = before;
        }
    }

    /// <summary>Notes that this code must not block.</summary>
    /// <returns>Whether this call is the first to note it.</returns>
    public bool NoteFinding() => TSync.RelaxedRead(ref _warning) == Unwarned && TSync.CompareExchange(ref _warning, Found, Unwarned) == Unwarned;

    /// <summary>Takes the note, once; pairs with NoteFinding, and with itself.</summary>
    public bool TakeFinding() => TSync.RelaxedRead(ref _warning) == Found && TSync.CompareExchange(ref _warning, Told, Found) == Found;

    /// <summary>The counts, with waits that have not ended.</summary>
    /// <param name="blocked">Workers that block here now.</param>
    /// <param name="present">Sum of their waits so far.</param>
    /// <param name="longest">The longest of these waits.</param>
    public Blocker Describe(int blocked, TimeSpan present, TimeSpan longest) => new()
    {
        Method = Method,
        Kind = Kind,
        Reason = Reason,
        ClassName = ClassName,
        Blocked = blocked,
        Count = TSync.RelaxedRead(ref _count) + blocked,
        TotalTime = new TimeSpan(TSync.RelaxedRead(ref _ticks)) + present,
        LongestTime = new TimeSpan(Math.Max(TSync.RelaxedRead(ref _longest), longest.Ticks)),
    };
}
