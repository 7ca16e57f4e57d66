namespace AdaptivePool.Dispatch;

/// <summary>
/// Whose turn it is among those who share by weight and have work: whoever has used the least for its weight. Pure: what was used is an argument, and nobody is
/// asked for a time.
/// </summary>
/// <remarks>
/// Start-time fair queueing (Goyal, Vin, Cheng 1996): each has a virtual time, what it used over its weight, and the least comes first. Between two that have
/// work all the time the difference of what they used over their weights is at most one turn for each that runs at once. Who comes back does not get what it
/// left unused: its virtual time moves on to that of the system, which is where the last turn began. Nor does it pay for ever for what it used while nobody
/// else was there (<see cref="MostAhead"/>).
/// </remarks>
internal sealed class FairOrder
{
    /// <summary>
    /// Least that a turn counts, in nanoseconds: about what its dispatch costs. So the virtual time of whoever has a turn moves on, and nobody waits for ever
    /// beside items that use nothing.
    /// </summary>
    public const double LeastUsed = 1_000;

    /// <summary>
    /// Furthest that one who comes back is ahead of the system, in nanoseconds of use: one second. More was used while nobody else wanted it, and is forgiven.
    /// </summary>
    public const double MostAhead = 1e9;

    /// <summary>Parts of a nanosecond in which virtual time is counted: a use over the largest weight is exact to a thousandth.</summary>
    public const double Parts = 1 << 20;

    private readonly PriorityQueue<FairEntry, Int128> _waiting = new();

    /// <summary>How many have work.</summary>
    public int Count => _waiting.Count;

    /// <summary>Virtual time of the system: where the last turn began.</summary>
    public Int128 Now { get; private set; }

    /// <summary>Who is owed most; <see langword="null"/> when nobody has work.</summary>
    public FairEntry? First => _waiting.TryPeek(out FairEntry? first, out _) ? first : null;

    /// <summary>All that have work, in no order, each with its virtual time.</summary>
    public PriorityQueue<FairEntry, Int128>.UnorderedItemsCollection All => _waiting.UnorderedItems;

    /// <summary>One that had no work has some.</summary>
    public void Add(FairEntry entry)
    {
        entry.Virtual = Int128.Clamp(entry.Virtual, Now, Now + Over(MostAhead, entry.Weight));
        entry.HasWork = true;
        _waiting.Enqueue(entry, entry.Virtual);
    }

    /// <summary>One has no work any more, or none that may run.</summary>
    public void Remove(FairEntry entry)
    {
        entry.HasWork = false;
        _waiting.Remove(entry, out _, out _);
    }

    /// <summary>A turn begins, of one that has work or goes on with its last.</summary>
    public void Begin(FairEntry entry) => Now = Int128.Max(Now, entry.Virtual);

    /// <summary>Counts what was used.</summary>
    /// <param name="entry">By whom.</param>
    /// <param name="used">How much, in nanoseconds; 0 or more.</param>
    public void Charge(FairEntry entry, double used)
    {
        entry.Virtual += Over(Math.Max(used, LeastUsed), entry.Weight);
        if (entry.HasWork)
        {
            // Looked for from the beginning, where it mostly stands: it had the turn because nobody was owed more.
            _waiting.Remove(entry, out _, out _);
            _waiting.Enqueue(entry, entry.Virtual);
        }
    }

    /// <summary>Whether one is owed at least as much as another.</summary>
    public static bool IsOwedAsMuch(FairEntry entry, FairEntry other) => entry.Virtual <= other.Virtual;

    private static Int128 Over(double used, int weight) => (Int128)(used * Parts / weight);
}
