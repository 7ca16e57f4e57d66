namespace AdaptivePool.Admission;

/// <summary>
/// The permits of a gate in one word: the room that is left, the limit in force, and whether all must take the slow way because a caller waits. Whoever
/// is admitted was compared with the limit by the very operation that counted it; so no more are ever admitted than the limit in force allows, whatever changes
/// meanwhile. Limit 0 admits all.
/// </summary>
/// <remarks>
/// All operations are on the same word, hence pair with each other; each update acquires and releases, so a holder sees what earlier holders wrote. The word is
/// the limit times 2^32 plus the room, which is below zero when more are held than the limit allows, and far below while the slow way is forced: the fast way
/// in looks at the sign of one half and at nothing else.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal struct PermitWord<TSync>(int limit, bool alwaysSlow)
    where TSync : struct, ISync
{
    private const int LimitShift = 32;

    /// <summary>Room of a gate without a limit; more permits than this are never held.</summary>
    private const int Unlimited = 1 << 29;

    /// <summary>
    /// Taken from the room where all must take the slow way: so much that none is ever left, and that no gate which only holds too many could be mistaken
    /// for one of these.
    /// </summary>
    private const int Slow = 1 << 30;

    private PaddedLong _word = new() { Value = Word(limit, RoomIn(limit), alwaysSlow) };

    /// <summary>Permits counted as held. For a moment more than are held: those that find no room count themselves and take it back.</summary>
    public int Held
    {
        get
        {
            long word = TSync.RelaxedRead(ref _word.Value);
            return RoomIn(LimitOf(word)) - RoomOf(word);
        }
    }

    public int Limit => LimitOf(TSync.RelaxedRead(ref _word.Value));

    /// <summary>Whether one more could be held.</summary>
    public bool HasRoom => RoomOf(TSync.RelaxedRead(ref _word.Value)) > 0;

    /// <summary>Takes a permit if there is one and nobody waits.</summary>
    /// <param name="looksFirst">Whether to look before anything is written, so that a full gate is not written to by each caller that it turns away. Where
    /// there is room it only costs time.</param>
    /// <param name="mustAdmit">True when a permit counted here in vain was given back while a caller waits: the caller must let those in that wait.</param>
    public bool TryTake(bool looksFirst, out bool mustAdmit)
    {
        mustAdmit = false;
        if (looksFirst && (int)TSync.RelaxedRead(ref _word.Value) <= 0)
        {
            return false;
        }

        // One subtraction instead of a loop of comparisons: the value that it returns counts at least all holders and us.
        if ((int)TSync.OrderedDecrement(ref _word.Value) >= 0)
        {
            return true;
        }

        mustAdmit = GiveBack();
        return false;
    }

    /// <summary>Gives a permit back. True: one waits, and the caller must let in those that now may.</summary>
    public bool GiveBack() => IsSlow(TSync.OrderedIncrement(ref _word.Value));

    /// <summary>Takes a permit if there is one, also past those that wait; for the one that holds the gate's lock and knows whose turn it is.</summary>
    /// <param name="elseSlow">When there is none, sends all the slow way from this moment on. In one operation: a permit given back before it is taken
    /// here, one given back later is seen by its giver.</param>
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

    /// <summary>Sends all the slow way from now on.</summary>
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

    /// <summary>Room where nobody is inside.</summary>
    private static int RoomIn(int limit) => limit == 0 ? Unlimited : limit;

    // A room below zero has borrowed from the half above.
    private static int LimitOf(long word) => (int)((word - (int)word) >> LimitShift);
}
