namespace AdaptivePool.Internal;

/// <summary>
/// Where a thread says that it owes a wake: from before it changes what queued work depends on until it has seen to a worker. Each thread has one of its own,
/// so that saying it costs two stores.
/// </summary>
/// <remarks>
/// No protocol reads it, only the audit, which tells a wake that comes late from one that never comes. So it is the machine's also under the model checker, as
/// <see cref="PaddedCounter"/> is.
/// </remarks>
internal sealed class WakeDebt
{
    /// <summary>Entries from which on those of ended threads are taken out.</summary>
    private const int FewEntries = 64;

    private static readonly Lock s_gate = new();
    private static readonly List<WeakReference<WakeDebt>> s_all = [];
    private static int s_tidyAt = FewEntries;
    private static int s_creditors;

    [ThreadStatic]
    private static WakeDebt? t_own;

    private int _owedTo;

    /// <summary>A number for those to whom wakes are owed: never 0, and never the same.</summary>
    public static int NewCreditor() => Interlocked.Increment(ref s_creditors);

    /// <summary>Makes the thread's entry, so that it is not made later, where a lock must not be waited for.</summary>
    public static void Prepare() => t_own ??= Create();

    /// <summary>Says that the calling thread owes a wake, until the scope is disposed. Scopes nest.</summary>
    public static Scope Owe(int creditor) => new(t_own ?? Create(), creditor);

    /// <summary>Whether a thread owes a wake. Whoever sees what a thread has changed within its scope sees the scope, or all that was done in it.</summary>
    public static bool IsOwedTo(int creditor)
    {
        lock (s_gate)
        {
            foreach (WeakReference<WakeDebt> entry in s_all)
            {
                // Acquire: pairs with the writes of Scope. Without it the end of a scope could be seen, and not the wake in it.
                if (entry.TryGetTarget(out WakeDebt? debt) && Volatile.Read(ref debt._owedTo) == creditor)
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static WakeDebt Create()
    {
        var created = new WakeDebt();
        lock (s_gate)
        {
            if (s_all.Count >= s_tidyAt)
            {
                // The entry of a thread goes with it.
                s_all.RemoveAll(static entry => !entry.TryGetTarget(out _));
                s_tidyAt = Math.Max(FewEntries, 2 * s_all.Count);
            }

            s_all.Add(new WeakReference<WakeDebt>(created));
        }

        return t_own = created;
    }

    /// <summary>The time in which a thread owes.</summary>
    internal readonly ref struct Scope
    {
        private readonly WakeDebt _debt;
        private readonly int _before;

        public Scope(WakeDebt debt, int creditor)
        {
            _debt = debt;
            _before = debt._owedTo;

            // What follows publishes it: an enqueue releases.
            Volatile.Write(ref debt._owedTo, creditor);
        }

        public void Dispose()
        {
            // Release: pairs with the read in IsOwedTo.
            Volatile.Write(ref _debt._owedTo, _before);
        }
    }
}
