namespace AdaptivePool.Admission;

/// <summary>
/// Remembers which passes of a thread were given back: a pass names its entry and the turn of it, and an entry in its next turn knows earlier ones no more. Numbers only, so that writing costs no barrier of the collector.
/// </summary>
internal sealed class PassBook
{
    private const int None = -1;

    [ThreadStatic]
    private static PassBook? t_book;

    private Entry[] _entries = [];
    private int _free = None;

    /// <summary>Enters a pass.</summary>
    public static TransactionPass Begin(TransactionGate gate)
    {
        PassBook book = t_book ??= new PassBook();
        int index = book._free;
        if (index == None)
        {
            index = book.Grow();
        }

        ref Entry entry = ref book._entries[index];
        book._free = entry.NextFree;
        return new TransactionPass(gate, book, index, entry.Turn);
    }

    /// <summary>Ends a pass; false when it has ended already.</summary>
    public bool End(int index, uint turn)
    {
        ref Entry entry = ref _entries[index];
        if (entry.Turn != turn)
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

    private struct Entry
    {
        public uint Turn;
        public int NextFree;
    }
}
