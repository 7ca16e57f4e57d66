namespace AdaptivePool.Admission;

/// <summary>
/// What one lease knows of its transaction: the hold, the turn of the hold, whether the lease is nested in the transaction of another lease, and whether the
/// lease has ended. It changes in place, so it is never copied while it is valid.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal struct LeaseKey<TSync>
    where TSync : struct, ISync
{
    private const long Ended = 1;
    private const long Nested = 2;
    private const long Privileged = 4;
    private const int TurnShift = 3;
    private LeaseHold<TSync>? _hold;
    private long _state;

    public bool IsNested => (TSync.RelaxedRead(ref _state) & Nested) != 0;

    public bool IsPrivileged => (TSync.RelaxedRead(ref _state) & Privileged) != 0;

    /// <summary>
    /// The hold of the transaction; <see langword="null"/> before the transaction has come in. A hold is used again, so each call to it names the
    /// <see cref="Turn"/>.
    /// </summary>
    // Acquire: pairs with the release in Begin, because other threads may reach the key through the async context.
    public LeaseHold<TSync>? Hold => TSync.VolatileRead(ref _hold);

    /// <summary>The turn of the <see cref="Hold"/>; read after it.</summary>
    public long Turn => TSync.RelaxedRead(ref _state) >> TurnShift;

    /// <summary>Whether the transaction will never come in.</summary>
    // A hint, without order: a transaction that comes in late is seen in the hold.
    public bool IsGivenUp => (TSync.RelaxedRead(ref _state) & Ended) != 0 && Hold is null;

    /// <summary>The transaction has come in, and this lease of it has not ended.</summary>
    public void Begin(LeaseHold<TSync> hold)
    {
        TSync.RelaxedWrite(ref _state, StateIn(hold, hold.Turns));
        TSync.VolatileWrite(ref _hold, hold);
    }

    /// <summary>The transaction was refused, or its wait was cancelled. Instead of <see cref="Begin"/>.</summary>
    public void GiveUp() => TSync.RelaxedWrite(ref _state, Ended);

    /// <summary>Creates a key inside the transaction of this key. Returns false when that transaction is not inside, or not yet.</summary>
    public bool TryNest(out LeaseKey<TSync> nested)
    {
        nested = default;
        if (Hold is not { } hold)
        {
            return false;
        }

        long turn = Turn;
        if (!hold.TryJoin(turn))
        {
            return false;
        }

        nested._hold = hold;
        nested._state = StateIn(hold, turn) | Nested;
        return true;
    }

    /// <summary>Ends the lease, the first time.</summary>
    /// <returns>Whether it was the last lease of the transaction, and whether it had brought the transaction in.</returns>
    public (bool IsLast, bool IsOuter) End()
    {
        if (Hold is not { } hold)
        {
            return default;
        }

        long state = TSync.RelaxedRead(ref _state);
        if ((state & Nested) == 0)
        {
            return (hold.Gate.Leave(hold, state >> TurnShift, isOuter: true), true);
        }

        // Pairs with itself: of several threads that end the lease at once, one ends it.
        bool isFirst = (state & Ended) == 0 && TSync.RelaxedCompareExchange(ref _state, state | Ended, state) == state;
        return (isFirst && hold.Gate.Leave(hold, state >> TurnShift, isOuter: false), false);
    }

    private static long StateIn(LeaseHold<TSync> hold, long turn) => (turn << TurnShift) | (hold.TakesPermit ? 0 : Privileged);
}
