namespace AdaptivePool.Dispatch;

/// <summary>
/// How many items of a class, or of all root classes together, may run at once, and how many do. A slot is the right to run one item at a time; a worker keeps
/// it over many items.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ClassLimit<TSync>(int limit)
    where TSync : struct, ISync
{
    private PaddedInt _active;
    private PaddedInt _limit = new() { Value = limit };

    public int Active
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _active.Value);
    }

    public int Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _limit.Value);
    }

    public bool HasRoom
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Active < Value;
    }

    /// <summary>Whether a worker that holds a slot must give it up after its item.</summary>
    public bool IsOver
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Active > Value;
    }

    public bool TryAcquire()
    {
        int active = Active;
        while (active < Value)
        {
            // Pairs with Release and with other acquirers; without it two workers could take the last slot. The full fence pairs with Set: a worker that runs
            // an item because of a new limit sees the generation published before.
            int before = TSync.CompareExchange(ref _active.Value, active + 1, active);
            if (before == active)
            {
                return true;
            }

            active = before;
        }

        return false;
    }

    /// <summary>
    /// Takes a slot back after a wait, even past the limit: the item goes on, and the worker takes no new one while <see cref="IsOver"/> (rule R5).
    /// </summary>
    public void Reacquire() => TSync.RelaxedIncrement(ref _active.Value);

    /// <summary>Gives a slot back.</summary>
    /// <returns>Whether there was no room until now.</returns>
    // A full fence: the caller looks at the queue afterwards. Pairs with the fence between enqueue and the look at HasRoom. Without it both threads could look
    // too early, and an item would stay.
    public bool Release() => TSync.Decrement(ref _active.Value) == Value - 1;

    // Release: pairs with the fence in TryAcquire.
    public void Set(int limit) => TSync.VolatileWrite(ref _limit.Value, limit);
}
