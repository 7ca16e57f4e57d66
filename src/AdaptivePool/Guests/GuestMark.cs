namespace AdaptivePool.Guests;

/// <summary>Whether a thread runs guests, one inside the other at most, and for which owner. Its thread writes, the watch reads.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal class GuestMark<TSync>
    where TSync : struct, ISync
{
    private object? _owner;
    private int _sequence;
    private int _depth;

    /// <summary>Odd while a guest runs; a different number for each guest.</summary>
    // Acquires: pairs with the increment in Enter. Without it the owner of the guest before could be seen under the number of this one.
    public int Sequence => TSync.VolatileRead(ref _sequence);

    /// <summary>Whether a guest runs.</summary>
    public bool IsRunning => (Sequence & 1) != 0;

    /// <summary>Whether a guest runs, and none inside another one. Own thread only.</summary>
    public bool IsOne => _depth == 1;

    /// <summary>The owner of the running guest, if it is still the guest that the caller has seen; null otherwise. Any thread.</summary>
    /// <param name="sequence">Its number.</param>
    public object? OwnerOf(int sequence)
    {
        // Acquires: pairs with the write in Enter. Without it the owner of the next guest could be seen under the number of this one.
        object? owner = TSync.VolatileRead(ref _owner);
        return Sequence == sequence ? owner : null;
    }

    /// <summary>Called when a guest begins to run. Own thread only.</summary>
    /// <param name="owner">Its owner.</param>
    /// <returns>The owner of the guest inside which it runs; null for none.</returns>
    public object? Enter(object owner)
    {
        object? outer = _depth > 0 ? _owner : null;

        // Releases the even number that the guest before has left: pairs with the read in OwnerOf.
        TSync.VolatileWrite(ref _owner, owner);
        if (_depth++ == 0)
        {
            // Published after the owner, and a full fence: pairs with the exchange in Doze.Sleep. Without it the watch could fall asleep beside a guest that
            // runs forever, and the guest could miss that the watch sleeps.
            TSync.Increment(ref _sequence);
        }

        return outer;
    }

    /// <summary>Called when the guest has run. Own thread only.</summary>
    /// <param name="outer">What <see cref="Enter"/> returned.</param>
    public void Leave(object? outer)
    {
        if (--_depth == 0)
        {
            TSync.RelaxedWrite(ref _sequence, _sequence + 1);

            // The thread may never run another guest, and must not keep a pool that has ended by that.
            TSync.RelaxedWrite<object?>(ref _owner, null);
        }
        else
        {
            TSync.VolatileWrite(ref _owner, outer);
        }
    }
}
