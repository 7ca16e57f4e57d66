namespace AdaptivePool.Admission;

/// <summary>Remembers which passes of a thread were given back: a pass has a number that no other of its thread ever has.</summary>
internal sealed class PassBook
{
    [ThreadStatic]
    private static PassBook? t_book;

    /// <summary>The others that are open, by numbers below zero.</summary>
    private readonly HashSet<long> _open = [];
    private long _last;

    /// <summary>Odd while the first pass is open: then it is its number. Most threads never have another one beside it.</summary>
    private long _first;

    /// <summary>The calling thread's.</summary>
    public static PassBook Own => t_book ??= new PassBook();

    /// <summary>Whether a gate has turned this thread away, and none has let it pass since then: it looks before it writes again.</summary>
    public bool LooksFirst { get; set; }

    /// <summary>Enters a pass.</summary>
    public TransactionPass Begin(TransactionGate gate)
    {
        long number = _first + 1;
        if ((number & 1) != 0)
        {
            _first = number;
            return new TransactionPass(gate, this, number);
        }

        _open.Add(--_last);
        return new TransactionPass(gate, this, _last);
    }

    /// <summary>Ends a pass; false when it has ended already.</summary>
    public bool End(long number)
    {
        if (number != _first)
        {
            return _open.Remove(number);
        }

        _first = number + 1;
        return true;
    }
}
