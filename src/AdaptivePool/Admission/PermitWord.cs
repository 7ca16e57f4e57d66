namespace AdaptivePool.Admission;

/// <summary>
/// The permits of a gate in one word: the room that is left, the limit in force, and whether all callers must take the slow way because a caller waits. The
/// operation that counts a caller also compares the count with the limit. So the gate never admits more callers than the limit in force allows, whatever
/// changes in the meantime. Limit 0 admits all callers.
/// </summary>
/// <remarks>
/// All operations are on the same word, hence pair with each other; each update acquires and releases, so a holder sees what earlier holders wrote. The word
/// is the limit times 2^32 plus the room. The room is below zero when more permits are held than the limit allows, and far below zero while the slow way is
/// forced. The fast way looks only at the sign of that half.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal struct PermitWord<TSync>(int limit, bool alwaysSlow)
    where TSync : struct, ISync
{
    private const int LimitShift = 32;

    /// <summary>Room of a gate without a limit; more permits than this are never held.</summary>
    private const int Unlimited = 1 << 29;

    /// <summary>
    /// Subtracted from the room while all callers must take the slow way. It is so large that no room is ever left, and that a gate which only holds too many
    /// permits cannot be mistaken for such a gate.
    /// </summary>
    private const int Slow = 1 << 30;

    private PaddedLong _word = new() { Value = Word(limit, RoomIn(limit), alwaysSlow) };

    /// <summary>
    /// Permits counted as held. For a moment this may be more than are held: a caller that finds no room counts itself, and then takes the count back.
    /// </summary>
    public int Held
    {
        get
        {
            long word = TSync.RelaxedRead(ref _word.Value);
            return RoomIn(LimitOf(word)) - RoomOf(word);
        }
    }

    public int Limit => LimitOf(TSync.RelaxedRead(ref _word.Value));

    /// <summary>Whether one more permit could be held.</summary>
    public bool HasRoom => RoomOf(TSync.RelaxedRead(ref _word.Value)) > 0;

    /// <summary>Takes a permit if there is one and no caller waits.</summary>
    /// <param name="looksFirst">Whether to read the word before writing to it, so that callers that a full gate turns away do not write. Where there is room,
    /// this only costs time.</param>
    /// <param name="mustAdmit">True when a permit that was counted here without success was given back while a request waits. Then the caller must let in the
    /// requests that wait.</param>
    public bool TryTake(bool looksFirst, out bool mustAdmit)
    {
        mustAdmit = false;
        if (looksFirst && (int)TSync.RelaxedRead(ref _word.Value) <= 0)
        {
            return false;
        }

        // One subtraction instead of a loop of comparisons: the value that it returns counts at least all holders and this caller.
        if ((int)TSync.OrderedDecrement(ref _word.Value) >= 0)
        {
            return true;
        }

        mustAdmit = GiveBack();
        return false;
    }

    /// <summary>
    /// Gives a permit back. Returns true if the slow way is forced because a request waits; then the caller must let in the requests that may enter now.
    /// </summary>
    public bool GiveBack() => IsSlow(TSync.OrderedIncrement(ref _word.Value));

    /// <summary>Takes a permit if there is one, even while requests wait. For code that holds the gate's lock and decides which request is next.</summary>
    /// <param name="elseSlow">Whether to force the slow way from this moment on if there is no permit. It is one operation. If a permit is given back before
    /// it, the operation takes that permit. If a permit is given back after it, the thread that gives it back sees the slow way.</param>
    public bool TryTakeExact(bool elseSlow)
    {
        while (true)
        {
            long word = TSync.RelaxedRead(ref _word.Value);
            bool taken = RoomOf(word) > 0;
            long next = taken ? word - 1 : elseSlow ? Word(LimitOf(word), RoomOf(word), isSlow: true) : word;
            if (next == word || TSync.OrderedCompareExchange(ref _word.Value, next, word) == word)
            {
                return taken;
            }
        }
    }

    /// <summary>Forces the slow way for all callers from now on.</summary>
    public void SetSlow() => Change(limit: null, isSlow: true);

    /// <summary>Opens the fast way again.</summary>
    public void ClearSlow() => Change(limit: null, isSlow: false);

    public void SetLimit(int limit) => Change(limit, isSlow: null);

    private void Change(int? limit, bool? isSlow)
    {
        long word;
        long next;
        do
        {
            word = TSync.RelaxedRead(ref _word.Value);
            int wanted = limit ?? LimitOf(word);
            next = Word(wanted, RoomOf(word) + RoomIn(wanted) - RoomIn(LimitOf(word)), isSlow ?? IsSlow(word));
        }
        while (next != word && TSync.OrderedCompareExchange(ref _word.Value, next, word) != word);
    }

    private static long Word(int limit, int room, bool isSlow) => ((long)limit << LimitShift) + room - (isSlow ? Slow : 0);

    private static bool IsSlow(long word) => (int)word <= Unlimited - Slow;

    private static int RoomOf(long word) => (int)word + (IsSlow(word) ? Slow : 0);

    /// <summary>The room of a gate that holds no permits.</summary>
    private static int RoomIn(int limit) => limit == 0 ? Unlimited : limit;

    // A room below zero has borrowed from the half above.
    private static int LimitOf(long word) => (int)((word - (int)word) >> LimitShift);
}
