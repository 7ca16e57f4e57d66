namespace AdaptivePool.Admission;

/// <summary>
/// The cheapest way through a gate: nothing is allocated, nothing is listed, and it cannot leave the thread that got it, so that giving it back exactly once
/// takes no interlocked operation of its own. For synchronous transactions of microseconds; everything else wants a <see cref="TransactionLease"/>.
/// </summary>
public readonly ref struct TransactionPass : IDisposable
{
    private readonly TransactionGate? _gate;
    private readonly PassBook? _book;
    private readonly long _number;

    internal TransactionPass(TransactionGate gate, PassBook book, long number)
    {
        _gate = gate;
        _book = book;
        _number = number;
    }

    /// <summary>Whether the gate let the caller in.</summary>
    public bool IsAcquired => _gate is not null;

    /// <summary>Gives the permit back, the first time; also when this is a copy.</summary>
    public void Dispose()
    {
        if (_gate is { } gate && _book!.End(_number))
        {
            gate.Core.EndPass();
        }
    }
}
