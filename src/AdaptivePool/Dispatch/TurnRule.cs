namespace AdaptivePool.Dispatch;

/// <summary>
/// Which queue a worker looks at first in each of its turns; one turn is one look for the next item. In all other turns it looks at its own deque (newest
/// first), its own work in order, the shared in-flight queue, the queues of other workers, and root work, in this order. So each queue that it serves is
/// reached in a bounded number of its turns, whatever the others bring; the two rare ones are reached after a time. The numbers for this are only here.
/// </summary>
/// <remarks>
/// In a FIFO queue an item with n before it is taken n + 1 such turns later at most; in a deque each of those must have been the oldest for its time. Root
/// work goes on from class to class in the turns of <see cref="RootEvery"/>, so with n classes whose work may run, each is reached in n of them;
/// <see cref="Queues.PriorityLanes{TSync}"/> says how often each of its lanes comes first. While an item runs on and holds local work up, and n other workers
/// have spare work, each of them is reached in n turns of <see cref="OthersEvery"/>.
/// </remarks>
internal static class TurnRule
{
    /// <summary>Root work (rule R4).</summary>
    public const int RootEvery = 16;

    /// <summary>The own work in order, which a chain in the other deque must not starve (dispatch study, section 2.3).</summary>
    public const int FairEvery = 8;

    /// <summary>
    /// The queues of other workers, where an item has run for <see cref="OthersAfterSeconds"/>. Rare: only work behind such an item needs it while this worker
    /// has work of its own, and work that moves between cores costs more than the look.
    /// </summary>
    public const int OthersEvery = 64;

    /// <summary>
    /// How long an item must have run until workers that have work of their own look at the work behind it. A worker that the system has put aside for another
    /// thread looks like one whose item runs on, but comes back within some milliseconds.
    /// </summary>
    public const double OthersAfterSeconds = 0.02;

    /// <summary>
    /// The oldest item of the own deque, which newer ones overtake. Rarer still: a chain of work that ends reaches it anyway, and in a tree of forks each such
    /// look opens another branch before the last is done, so that more of the tree is in memory and survives the collector. So the item must also have been
    /// the oldest for <see cref="OldestAfterSeconds"/>.
    /// </summary>
    public const int OldestEvery = 4_096;

    /// <summary>
    /// How long an item must have been the oldest of its deque: longer than most trees take. The clock is read once in <see cref="OldestEvery"/> turns.
    /// </summary>
    public const double OldestAfterSeconds = 0.02;

    /// <summary>The same while items run long, whatever the clock says: a turn then takes long too, and the cost of one more branch does not matter.</summary>
    public const int OldestEveryLong = 512;

    private const int FairTurn = 3;

    /// <summary>The shared in-flight queue, as often as root work: the continuation of an await of a timer or a socket waits there.</summary>
    private const int SharedTurn = 7;
    private const int RareEvery = OthersEvery / 2;
    private const int RareTurn = 13;
    private const int OldestTurn = RareTurn + RareEvery;
    private const int LookBits = 4;

    /// <summary>
    /// What comes first in each of 16 turns, four bits for each. The lookup has no branch, because a processor cannot predict so long a pattern.
    /// </summary>
    private const ulong Looks = ((ulong)FirstLook.Root)
        | ((ulong)FirstLook.Fair << (LookBits * FairTurn))
        | ((ulong)FirstLook.Fair << (LookBits * (FairTurn + FairEvery)))
        | ((ulong)FirstLook.Shared << (LookBits * SharedTurn));

    /// <summary>Whether a turn is one of the few in which a queue that hardly ever needs it may come first.</summary>
    /// <param name="turn">Number of the turn.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsRare(uint turn) => turn % RareEvery == RareTurn;

    /// <summary>What comes first.</summary>
    /// <param name="turn">Number of the turn.</param>
    /// <param name="hasLongItems">Whether items run long.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FirstLook First(uint turn, bool hasLongItems) => IsRare(turn)
        ? OfRare(turn, hasLongItems)
        : (FirstLook)((Looks >> (int)(LookBits * (turn % RootEvery))) & ((1 << LookBits) - 1));

    private static FirstLook OfRare(uint turn, bool hasLongItems) =>
        turn % OthersEvery == RareTurn ? FirstLook.Others
        : turn % (uint)(hasLongItems ? OldestEveryLong : OldestEvery) == OldestTurn ? FirstLook.Oldest
        : FirstLook.Newest;
}
