namespace AdaptivePool.Internal;

/// <summary>
/// A thread's entry among those who owe wakes: each thread has one of its own, so that saying it costs two stores.
/// <see cref="Dispatch.OwedWake{TSync}"/> writes it.
/// </summary>
internal readonly struct WakeDebt
{
    // The entry of a thread goes with it. It is of a type of the runtime's: what a table keeps for a thread that lives on keeps its own type, and with it this
    // table, so that a plugin's own copy of this library could not be unloaded.
    private static readonly ConditionalWeakTable<Thread, StrongBox<int>> s_all = [];
    private static int s_creditors;

    [ThreadStatic]
    private static StrongBox<int>? t_own;

    private readonly StrongBox<int> _owedTo;

    /// <summary>An entry that stands for no thread of the machine.</summary>
    public WakeDebt()
        : this(new StrongBox<int>())
    {
    }

    private WakeDebt(StrongBox<int> owedTo) => _owedTo = owedTo;

    /// <summary>
    /// The calling thread's entry; made when it is first asked for. A worker asks early, so that none is made where a lock must not be waited for.
    /// </summary>
    public static WakeDebt Own => new(t_own ?? Create());

    /// <summary>To whom the thread owes a wake; 0 for nobody. Its thread writes it, any thread reads it.</summary>
    public ref int OwedTo => ref _owedTo.Value;

    /// <summary>A number for those to whom wakes are owed: never 0, and never the same.</summary>
    public static int NewCreditor() => Interlocked.Increment(ref s_creditors);

    /// <summary>The entries of all threads that have one now.</summary>
    public static WakeDebt[] All() => [.. s_all.Select(static entry => new WakeDebt(entry.Value))];

    private static StrongBox<int> Create() => t_own = s_all.GetOrCreateValue(Thread.CurrentThread);
}
