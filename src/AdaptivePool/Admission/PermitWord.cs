using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// The permits of a gate in one word: how many are held, the limit in force, and whether everybody must take the slow way because somebody waits. Whoever is admitted was compared with the limit by the very operation
/// that counted him; so no more are ever admitted than the limit in force allows, whatever changes meanwhile. Limit 0 admits everybody.
/// </summary>
/// <remarks>All operations are on the same word, hence pair with each other; each is a full fence, so a holder sees what earlier holders wrote.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal struct PermitWord<TSync>
    where TSync : struct, ISync
{
    private const int LimitShift = 31;
    private const long HeldMask = (1L << LimitShift) - 1;
    private const long LimitMask = HeldMask << LimitShift;
    private const long Slow = 1L << 62;

    private PaddedLong _word;

    public PermitWord(int limit, bool alwaysSlow)
    {
        _word.Value = ((long)limit << LimitShift) | (alwaysSlow ? Slow : 0);
    }

    /// <summary>Permits counted as held. For a moment more than are held: those that find no room count themselves and take it back.</summary>
    public int Held => HeldOf(TSync.RelaxedRead(ref _word.Value));

    public int Limit => LimitOf(TSync.RelaxedRead(ref _word.Value));

    /// <summary>Whether one more could be held.</summary>
    public bool HasRoom => IsBelowLimit(TSync.RelaxedRead(ref _word.Value));

    /// <summary>Takes a permit if there is one and nobody waits.</summary>
    /// <param name="mustAdmit">True when a permit counted here in vain was given back while somebody waits: the caller must let those in that wait.</param>
    public bool TryTake(out bool mustAdmit)
    {
        mustAdmit = false;

        // A read first, so that a full gate is not written to by everybody that it turns away.
        long word = TSync.RelaxedRead(ref _word.Value);
        if ((word & Slow) != 0 || !IsBelowLimit(word))
        {
            return false;
        }

        // One addition instead of a loop of comparisons: the value that it returns counts at least all holders and us.
        word = TSync.OrderedIncrement(ref _word.Value);
        if ((word & Slow) == 0 && (LimitOf(word) == 0 || HeldOf(word) <= LimitOf(word)))
        {
            return true;
        }

        mustAdmit = GiveBack();
        return false;
    }

    /// <summary>Gives a permit back. True: somebody waits, and the caller must let in those that now may.</summary>
    public bool GiveBack() => (TSync.OrderedDecrement(ref _word.Value) & Slow) != 0;

    /// <summary>Takes a permit if there is one, also past those that wait; for the one that holds the gate's lock and knows whose turn it is.</summary>
    /// <param name="elseSlow">When there is none, sends everybody the slow way from this moment on. In one operation: a permit given back before it is taken here, one given back later is seen by its giver.</param>
    public bool TryTakeExact(bool elseSlow)
    {
        while (true)
        {
            long word = TSync.RelaxedRead(ref _word.Value);
            bool taken = IsBelowLimit(word);
            long next = taken ? word + 1 : elseSlow ? word | Slow : word;
            if (next == word || TSync.OrderedCompareExchange(ref _word.Value, next, word) == word)
            {
                return taken;
            }
        }
    }

    /// <summary>Sends everybody the slow way from now on.</summary>
    public void SetSlow() => Change(keep: ~0, add: Slow);

    /// <summary>Opens the fast way again.</summary>
    public void ClearSlow() => Change(keep: ~Slow, add: 0);

    public void SetLimit(int limit) => Change(keep: ~LimitMask, add: (long)limit << LimitShift);

    private void Change(long keep, long add)
    {
        long word;
        long next;
        do
        {
            word = TSync.RelaxedRead(ref _word.Value);
            next = (word & keep) | add;
        }
        while (next != word && TSync.OrderedCompareExchange(ref _word.Value, next, word) != word);
    }

    private static bool IsBelowLimit(long word) => LimitOf(word) == 0 || HeldOf(word) < LimitOf(word);

    private static int HeldOf(long word) => (int)(word & HeldMask);

    private static int LimitOf(long word) => (int)((word & LimitMask) >> LimitShift);
}
