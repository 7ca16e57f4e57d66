namespace AdaptivePool.Admission;

/// <summary>
/// The cheapest way through a gate. It allocates nothing, is in no list, and cannot leave the thread that got it, so returning it exactly once needs no
/// separate interlocked operation. Use it for synchronous transactions of microseconds, and a <see cref="TransactionLease"/> for everything else.
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

    /// <summary>Whether the gate admitted the caller.</summary>
    public bool IsAcquired => _gate is not null;

    /// <summary>Returns the permit at the first call, also if this is a copy.</summary>
    public void Dispose()
    {
        if (_gate is { } gate && _book!.End(_number))
        {
            gate.Core.EndPass();
        }
    }
}
