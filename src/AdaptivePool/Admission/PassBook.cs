namespace AdaptivePool.Admission;

/// <summary>
/// Remembers which passes of a thread were given back. A pass has a number that no other of its thread ever has; the book knows those that are open. Numbers
/// only, so that writing costs no barrier of the collector.
/// </summary>
internal sealed class PassBook
{
    private const int None = -1;

    /// <summary>Bits of a number that say which entry it is; far more than fit on a stack.</summary>
    private const int IndexBits = 24;

    [ThreadStatic]
    private static PassBook? t_book;

    /// <summary>Odd while the first pass is open: then it is its number. One that is taken while it is open has an entry, and a number below zero.</summary>
    private long _first;
    private Entry[] _entries = [];
    private int _free = None;

    /// <summary>The calling thread's.</summary>
    public static PassBook Own => t_book ??= new PassBook();

    /// <summary>Whether a gate has turned this thread away, and none has let it pass since then: it looks before it writes again.</summary>
    public bool LooksFirst { get; set; }

    /// <summary>Enters a pass.</summary>
    public TransactionPass Begin(TransactionGate gate)
    {
        long number = _first + 1;
        if ((number & 1) == 0)
        {
            return new TransactionPass(gate, this, BeginAnother());
        }

        _first = number;
        return new TransactionPass(gate, this, number);
    }

    /// <summary>Ends a pass; false when it has ended already.</summary>
    public bool End(long number)
    {
        if (number != _first)
        {
            return number < 0 && EndAnother(number);
        }

        _first = number + 1;
        return true;
    }

    private long BeginAnother()
    {
        int index = _free == None ? Grow() : _free;
        ref Entry entry = ref _entries[index];
        _free = entry.NextFree;
        return Number(entry.Turn, index);
    }

    private bool EndAnother(long number)
    {
        int index = (int)(number & ((1 << IndexBits) - 1));
        ref Entry entry = ref _entries[index];
        if (Number(entry.Turn, index) != number)
        {
            return false;
        }

        entry.Turn++;
        entry.NextFree = _free;
        _free = index;
        return true;
    }

    private int Grow()
    {
        int first = _entries.Length;
        Array.Resize(ref _entries, Math.Max(4, first * 2));
        for (int i = _entries.Length - 1; i >= first; i--)
        {
            _entries[i].NextFree = _free;
            _free = i;
        }

        return first;
    }

    private static long Number(uint turn, int index) => long.MinValue | ((long)turn << IndexBits) | (uint)index;

    private struct Entry
    {
        public uint Turn;
        public int NextFree;
    }
}
