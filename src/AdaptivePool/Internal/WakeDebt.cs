using System.Runtime.CompilerServices;

namespace AdaptivePool.Internal;

/// <summary>
/// A thread's entry among those who owe wakes: each thread has one of its own, so that saying it costs two stores.
/// <see cref="Dispatch.OwedWake{TSync}"/> writes it.
/// </summary>
internal sealed class WakeDebt
{
    // The entry of a thread goes with it.
    private static readonly ConditionalWeakTable<Thread, WakeDebt> s_all = [];
    private static int s_creditors;

    [ThreadStatic]
    private static WakeDebt? t_own;

    private int _owedTo;

    /// <summary>
    /// The calling thread's entry; made when it is first asked for. A worker asks early, so that none is made where a lock must not be waited for.
    /// </summary>
    public static WakeDebt Own => t_own ?? Create();

    /// <summary>To whom the thread owes a wake; 0 for nobody. Its thread writes it, any thread reads it.</summary>
    public ref int OwedTo => ref _owedTo;

    /// <summary>A number for those to whom wakes are owed: never 0, and never the same.</summary>
    public static int NewCreditor() => Interlocked.Increment(ref s_creditors);

    /// <summary>The entries of all threads that have one now.</summary>
    public static WakeDebt[] All() => [.. s_all.Select(static entry => entry.Value)];

    private static WakeDebt Create() => t_own = s_all.GetOrCreateValue(Thread.CurrentThread);
}
