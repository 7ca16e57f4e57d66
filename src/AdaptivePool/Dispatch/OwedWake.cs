namespace AdaptivePool.Dispatch;

/// <summary>
/// The time in which a thread owes a wake: from before it changes what queued work depends on, until it has made sure that a worker is on its way. No protocol
/// relies on it; only the audit does, to tell a wake that comes late from one that never comes.
/// </summary>
/// <remarks>A thread that sees what another has changed within that time, and then looks here, sees the debt, or all that was done in it.</remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal readonly ref struct OwedWake<TSync>
    where TSync : struct, ISync
{
    private readonly WakeDebt _debt;
    private readonly int _creditor;
    private readonly int _before;

    /// <summary>Says that the calling thread owes a wake, until this is disposed. Debts nest.</summary>
    public OwedWake(int creditor)
    {
        _debt = TSync.OwnDebt();
        _creditor = creditor;
        _before = TSync.Read(ref _debt.OwedTo);
        if (_before != creditor)
        {
            // What follows publishes it: an enqueue releases, and so does taking the token.
            TSync.Write(ref _debt.OwedTo, creditor);
        }
    }

    /// <summary>Whether a thread owes a wake. A full fence.</summary>
    public static bool IsOwedTo(int creditor)
    {
        // Pairs with what publishes a change: a thread that has seen the change sees the debt, too. Without it, a thread on its way to a worker is overlooked.
        TSync.Fence();
        foreach (WakeDebt debt in TSync.AllDebts())
        {
            // Acquire: pairs with Dispose. Without it, the end of a debt could be seen, but not the wake that ended it.
            if (TSync.VolatileRead(ref debt.OwedTo) == creditor)
            {
                return true;
            }
        }

        return false;
    }

    public void Dispose()
    {
        if (_before != _creditor)
        {
            // Release: pairs with IsOwedTo.
            TSync.VolatileWrite(ref _debt.OwedTo, _before);
        }
    }
}
