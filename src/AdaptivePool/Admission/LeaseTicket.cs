using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>
/// What one lease has of its transaction: a key, and whether it is a lease inside another's transaction and has ended. Changes in place: never copied while it
/// is valid.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal struct LeaseTicket<TSync>
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

    /// <summary>The transaction; without a hold before it has come in.</summary>
    // Acquire: pairs with the release in Begin, where others may come through the async context.
    public LeaseKey<TSync> Key => TSync.VolatileRead(ref _hold) is { } hold ? new LeaseKey<TSync>(hold, TSync.RelaxedRead(ref _state) >> TurnShift) : default;

    /// <summary>The transaction has come in.</summary>
    public void Begin(LeaseKey<TSync> key)
    {
        TSync.RelaxedWrite(ref _state, (key.Turn << TurnShift) | (key.Hold!.TakesPermit ? 0 : Privileged));
        TSync.VolatileWrite(ref _hold, key.Hold);
    }

    /// <summary>Whether the transaction will never come in.</summary>
    // A hint, without order: what comes in late is seen in the key.
    public bool IsGivenUp => (TSync.RelaxedRead(ref _state) & Ended) != 0 && Key.Hold is null;

    /// <summary>The transaction was refused, or its wait was cancelled. Instead of <see cref="Begin"/>.</summary>
    public void GiveUp() => TSync.RelaxedWrite(ref _state, Ended);

    /// <summary>A ticket inside this one's transaction; false when that is not inside, or not yet.</summary>
    public bool TryNest(out LeaseTicket<TSync> nested)
    {
        nested = default;
        LeaseKey<TSync> key = Key;
        if (key.Hold is not { } hold || !hold.TryJoin(key.Turn))
        {
            return false;
        }

        nested._hold = hold;
        nested._state = (key.Turn << TurnShift) | Nested | (hold.TakesPermit ? 0 : Privileged);
        return true;
    }

    /// <summary>Ends the lease, the first time.</summary>
    /// <returns>Whether it was the last one of the transaction, and whether it had brought that in.</returns>
    public (bool IsLast, bool IsOuter) End()
    {
        long state = TSync.RelaxedRead(ref _state);
        if ((state & Nested) == 0)
        {
            return Key is { Hold: { } hold } key ? (hold.Gate.Leave(key, isOuter: true), true) : default;
        }

        // Pairs with itself: of several that end the lease at once, one does.
        return (state & Ended) == 0
            && TSync.RelaxedCompareExchange(ref _state, state | Ended, state) == state ? (Key.Hold!.Gate.Leave(Key, isOuter: false), false) : default;
    }
}
