using System.Runtime.InteropServices;

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

    private readonly List<FairEntry> _heap = [];

    /// <summary>How many have work.</summary>
    public int Count => _heap.Count;

    /// <summary>Virtual time of the system: where the last turn began.</summary>
    public double Now { get; private set; }

    /// <summary>Who is owed most; <see langword="null"/> when nobody has work.</summary>
    public FairEntry? First => _heap.Count > 0 ? _heap[0] : null;

    /// <summary>All that have work, in no order.</summary>
    public ReadOnlySpan<FairEntry> All => CollectionsMarshal.AsSpan(_heap);

    /// <summary>One that had no work has some.</summary>
    public void Add(FairEntry entry)
    {
        entry.Virtual = Math.Clamp(entry.Virtual, Now, Now + (MostAhead / entry.Weight));
        entry.Place = _heap.Count;
        _heap.Add(entry);
        Rise(entry);
    }

    /// <summary>One has no work any more, or none that may run.</summary>
    public void Remove(FairEntry entry)
    {
        int place = entry.Place;
        entry.Place = -1;
        FairEntry last = _heap[^1];
        _heap.RemoveAt(_heap.Count - 1);
        if (!ReferenceEquals(last, entry))
        {
            Put(last, place);
            Rise(last);
            Sink(last);
        }
    }

    /// <summary>A turn begins, of one that has work or goes on with its last.</summary>
    public void Begin(FairEntry entry) => Now = Math.Max(Now, entry.Virtual);

    /// <summary>Counts what was used.</summary>
    /// <param name="entry">By whom.</param>
    /// <param name="used">How much, in nanoseconds; 0 or more.</param>
    public void Charge(FairEntry entry, double used)
    {
        entry.Virtual += Math.Max(used, LeastUsed) / entry.Weight;
        if (entry.Place >= 0)
        {
            Sink(entry);
        }
    }

    /// <summary>Whether one is owed at least as much as another.</summary>
    public static bool IsOwedAsMuch(FairEntry entry, FairEntry other) => entry.Virtual <= other.Virtual;

    private void Rise(FairEntry entry)
    {
        int place = entry.Place;
        while (place > 0 && entry.Virtual < _heap[(place - 1) / 2].Virtual)
        {
            Put(_heap[(place - 1) / 2], place);
            place = (place - 1) / 2;
        }

        Put(entry, place);
    }

    private void Sink(FairEntry entry)
    {
        int place = entry.Place;
        while ((2 * place) + 1 < _heap.Count)
        {
            int child = (2 * place) + 1;
            child += child + 1 < _heap.Count && _heap[child + 1].Virtual < _heap[child].Virtual ? 1 : 0;
            if (entry.Virtual <= _heap[child].Virtual)
            {
                break;
            }

            Put(_heap[child], place);
            place = child;
        }

        Put(entry, place);
    }

    private void Put(FairEntry entry, int place)
    {
        _heap[place] = entry;
        entry.Place = place;
    }
}
