namespace AdaptivePool.Admission;

/// <summary>
/// The cheapest way through a gate: nothing is allocated, nothing is listed, and it cannot leave the thread that got it, so that giving it back exactly once takes no interlocked operation of its own. For synchronous
/// transactions of microseconds; everything else wants a <see cref="TransactionLease"/>.
/// </summary>
public readonly ref struct TransactionPass : IDisposable
{
    private readonly PassSlot? _slot;
    private readonly uint _turn;

    internal TransactionPass(PassSlot slot, uint turn)
    {
        _slot = slot;
        _turn = turn;
    }

    /// <summary>Whether the gate let the caller in.</summary>
    public bool IsAcquired => _slot is not null;

    /// <summary>Gives the permit back, the first time; also when this is a copy.</summary>
    public void Dispose() => _slot?.End(_turn);
}
