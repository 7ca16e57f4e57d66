namespace AdaptivePool.Admission;

/// <summary>Remembers which passes of a thread were given back. Each pass has a number that no other pass of its thread ever has.</summary>
internal sealed class PassBook
{
    [ThreadStatic]
    private static PassBook? t_book;

    /// <summary>The other open passes, by numbers below zero.</summary>
    private readonly HashSet<long> _open = [];
    private long _last;

    /// <summary>Odd while the first pass is open; then it is the number of that pass. Most threads never have another pass at the same time.</summary>
    private long _first;

    /// <summary>The book of the calling thread.</summary>
    public static PassBook Own => t_book ??= new PassBook();

    /// <summary>Whether a gate has turned this thread away, and no gate has let it pass since then. Such a thread reads before it writes.</summary>
    public bool LooksFirst { get; set; }

    /// <summary>Records a pass that begins.</summary>
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
