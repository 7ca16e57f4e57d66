namespace AdaptivePool.Internal;

/// <summary>
/// A thread's entry among the threads that owe wakes. Each thread has its own entry, so that a write to it costs two stores.
/// <see cref="Dispatch.OwedWake{TSync}"/> writes it.
/// </summary>
internal readonly struct WakeDebt
{
    // The entry of a thread goes with it. Its type belongs to the runtime: what a table keeps for a thread that lives on keeps its own type, and with it this
    // table, so that a plugin's own copy of this library could not be unloaded.
    private static readonly ConditionalWeakTable<Thread, StrongBox<int>> s_all = [];
    private static int s_creditors;

    [ThreadStatic]
    private static StrongBox<int>? t_own;

    private readonly StrongBox<int> _owedTo;

    /// <summary>Creates an entry that belongs to no thread of the machine.</summary>
    public WakeDebt()
        : this(new StrongBox<int>())
    {
    }

    private WakeDebt(StrongBox<int> owedTo) => _owedTo = owedTo;

    /// <summary>
    /// The calling thread's entry, created when it is first used. A worker uses it early, so that none is created where a lock must not be waited for.
    /// </summary>
    public static WakeDebt Own => new(t_own ?? Create());

    /// <summary>The number of the creditor to which the thread owes a wake; 0 for none. The thread of the entry writes it, any thread reads it.</summary>
    public ref int OwedTo => ref _owedTo.Value;

    /// <summary>Returns a number for a creditor of wakes: never 0, and never the same.</summary>
    public static int NewCreditor() => Interlocked.Increment(ref s_creditors);

    /// <summary>The entries of all threads that have one now.</summary>
    public static WakeDebt[] All() => [.. s_all.Select(static entry => new WakeDebt(entry.Value))];

    private static StrongBox<int> Create() => t_own = s_all.GetOrCreateValue(Thread.CurrentThread);
}
