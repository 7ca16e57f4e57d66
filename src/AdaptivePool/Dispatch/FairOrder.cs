namespace AdaptivePool.Dispatch;

/// <summary>
/// Which entry has the turn among those that share by weight and have work: the one that has used the least for its weight. Pure: what was used is an
/// argument, and no clock is read.
/// </summary>
/// <remarks>
/// Start-time fair queueing (Goyal, Vin, Cheng 1996): each entry has a virtual time, which is what it used over its weight, and the entry with the least comes
/// first. Between two entries that have work all the time, the difference of what they used over their weights is at most one turn for each that runs at once.
/// An entry that comes back does not get what it left unused: its virtual time moves on to that of the system, which is where the last turn began. Nor does it
/// pay forever for what it used while no other entry had work (<see cref="MostAhead"/>).
/// </remarks>
internal sealed class FairOrder
{
    /// <summary>
    /// The least that a turn counts, in nanoseconds: about what its dispatch costs. It moves the virtual time of each entry that has a turn, so that no entry
    /// waits forever beside items that use nothing.
    /// </summary>
    public const double LeastUsed = 1_000;

    /// <summary>
    /// The furthest that an entry that comes back is ahead of the system, in nanoseconds of use: one second. Use beyond that is forgiven, because no other
    /// entry wanted it.
    /// </summary>
    public const double MostAhead = 1e9;

    /// <summary>Parts of a nanosecond in which virtual time is counted: a use over the largest weight is exact to a thousandth.</summary>
    public const double Parts = 1 << 20;

    private readonly PriorityQueue<FairEntry, Int128> _waiting = new();

    /// <summary>How many entries have work.</summary>
    public int Count => _waiting.Count;

    /// <summary>Virtual time of the system: where the last turn began.</summary>
    public Int128 Now { get; private set; }

    /// <summary>The entry that is owed most; <see langword="null"/> when none has work.</summary>
    public FairEntry? First => _waiting.TryPeek(out FairEntry? first, out _) ? first : null;

    /// <summary>All entries that have work, in no order, each with its virtual time.</summary>
    public PriorityQueue<FairEntry, Int128>.UnorderedItemsCollection All => _waiting.UnorderedItems;

    /// <summary>Adds an entry that had no work and now has some.</summary>
    public void Add(FairEntry entry)
    {
        entry.Virtual = Int128.Clamp(entry.Virtual, Now, Now + Over(MostAhead, entry.Weight));
        entry.HasWork = true;
        _waiting.Enqueue(entry, entry.Virtual);
    }

    /// <summary>Removes an entry that has no work any more, or none that may run.</summary>
    public void Remove(FairEntry entry)
    {
        entry.HasWork = false;
        _waiting.Remove(entry, out _, out _);
    }

    /// <summary>Begins a turn of an entry that has work or goes on with its last turn.</summary>
    public void Begin(FairEntry entry) => Now = Int128.Max(Now, entry.Virtual);

    /// <summary>Counts what was used.</summary>
    /// <param name="entry">The entry that used it.</param>
    /// <param name="used">How much it used, in nanoseconds; 0 or more.</param>
    public void Charge(FairEntry entry, double used)
    {
        entry.Virtual += Over(Math.Max(used, LeastUsed), entry.Weight);
        if (entry.HasWork)
        {
            // The search starts at the front, where the entry mostly is: it had the turn because no entry was owed more.
            _waiting.Remove(entry, out _, out _);
            _waiting.Enqueue(entry, entry.Virtual);
        }
    }

    /// <summary>Whether an entry is owed at least as much as another.</summary>
    public static bool IsOwedAsMuch(FairEntry entry, FairEntry other) => entry.Virtual <= other.Virtual;

    private static Int128 Over(double used, int weight) => (Int128)(used * Parts / weight);
}
