using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Internal;

/// <summary>
/// Every way in which a thread of the pool can meet another thread: memory shared between threads, fences, trusted queues, sleeping and waking, the clock,
/// the start of threads. Types take it as a struct type parameter. So the same code runs on the machine (<see cref="RealSync"/>, which compiles to the plain
/// operation) and under the model checker of the tests, which decides at each call which thread continues and what it sees.
/// </summary>
/// <remarks>
/// There are four strengths of access. Read and Write: plain, for values that only one thread uses or that another operation publishes. RelaxedRead and
/// RelaxedWrite: whole and never left out, but they order nothing; for hints, and for values that a fence orders. VolatileRead and VolatileWrite: acquire and
/// release. Interlocked operations and <see cref="Fence"/>: full fences. The last two parameters name the call site for the checker; no caller passes them.
/// <para>
/// Updates that promise less than an atomic update with a full fence have names of their own. .NET has no cheaper operation for them, so the machine does the
/// same for all of them. But the model checker gives only what is promised, so no code relies on the rest. Ordered: acquires and releases. Relaxed: atomic,
/// and orders nothing.
/// </para>
/// </remarks>
internal unsafe interface ISync
{
    static abstract T Read<T>(ref T location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void Write<T>(ref T location, T value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract long RelaxedRead(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract int RelaxedRead(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract bool RelaxedRead(ref bool location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T RelaxedRead<T>(ref T location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0)
        where T : class?;

    static abstract void RelaxedWrite(ref int location, int value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void RelaxedWrite(ref long location, long value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void RelaxedWrite(ref bool location, bool value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void RelaxedWrite<T>(ref T location, T value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0)
        where T : class?;

    static abstract long VolatileRead(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract int VolatileRead(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T VolatileRead<T>(ref T location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0)
        where T : class?;

    static abstract void VolatileWrite(ref long location, long value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void VolatileWrite(ref int location, int value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract void VolatileWrite<T>(ref T location, T value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0)
        where T : class?;

    static abstract int Exchange(ref int location, int value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T CompareExchange<T>(ref T location, T value, T comparand, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds one.</summary>
    /// <returns>The new value.</returns>
    static abstract int Increment(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Subtracts one.</summary>
    /// <returns>The new value.</returns>
    static abstract int Decrement(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds to a statistic. No addition is lost, and nothing is ordered.</summary>
    static abstract void Add(ref long location, long value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Full fence.</summary>
    static abstract void Fence([CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>
    /// Writes with release, and is a full fence; for a location that only its owner writes. As one operation it is cheaper than a write and a fence (19
    /// against 29 ns in a loop, x64).
    /// </summary>
    static abstract void WriteAndFence(ref long location, long value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract int OrderedExchange(ref int location, int value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T OrderedCompareExchange<T>(
        ref T location, T value, T comparand, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds one.</summary>
    /// <returns>The new value.</returns>
    static abstract long OrderedIncrement(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Subtracts one.</summary>
    /// <returns>The new value.</returns>
    static abstract long OrderedDecrement(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T RelaxedCompareExchange<T>(
        ref T location, T value, T comparand, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds one.</summary>
    /// <returns>The new value.</returns>
    static abstract int RelaxedIncrement(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Subtracts one.</summary>
    /// <returns>The new value.</returns>
    static abstract int RelaxedDecrement(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds to a queue of the runtime, which is trusted as a whole: one atomic step. An interrupt of the caller stays pending.</summary>
    static abstract void Enqueue(ConcurrentQueue<object> queue, object item, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Takes from a queue of the runtime: one atomic step.</summary>
    static abstract bool TryDequeue(
        ConcurrentQueue<object> queue, [MaybeNullWhen(false)] out object item, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Gets the number of items in a queue of the runtime; orders nothing.</summary>
    static abstract int Count(ConcurrentQueue<object> queue, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Whether a queue of the runtime is empty; orders nothing.</summary>
    static abstract bool IsEmpty(ConcurrentQueue<object> queue, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Sleeps if the word still has the expected value. It may return without a reason.</summary>
    static abstract void FutexWait(int* word, int expected, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Wakes one thread that sleeps on the word.</summary>
    static abstract void FutexWake(int* word, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Enters a lock; an interrupt of the caller stays pending. Waits inside never call the wait hook of a pool under check.</summary>
    static abstract void Enter(object monitor, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Enters a lock unless another thread is inside.</summary>
    /// <returns>Whether the caller is inside.</returns>
    static abstract bool TryEnter(object monitor, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Leaves a lock.</summary>
    static abstract void Exit(object monitor, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Sets an event: one wait for it ends, now or later. Releases. Never waits.</summary>
    static abstract void Set(AutoResetEvent called, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Waits until an event is set, and resets it; no longer than the given time. Acquires what the setter has written. An interrupt ends the wait,
    /// which consumes it.</summary>
    static abstract void WaitOne(AutoResetEvent called, TimeSpan most, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>
    /// Consumes a pending interrupt of the caller. Otherwise it would end the next wait of the runtime, whichever code begins that wait. The interrupt is
    /// meant for nothing that runs from now on.
    /// </summary>
    static abstract void ForgetInterrupt([CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Lets another thread have this core, if one waits for it.</summary>
    static abstract void Yield();

    /// <summary>The caller's own entry among the threads that owe wakes.</summary>
    static abstract WakeDebt OwnDebt();

    /// <summary>The entries of all threads.</summary>
    static abstract WakeDebt[] AllDebts();

    /// <summary>Returns a number for a creditor, to which threads owe wakes.</summary>
    static abstract int NewCreditor();

    /// <summary>The clock, in ticks of the stopwatch.</summary>
    static abstract long Timestamp();

    /// <summary>The same clock in milliseconds, in steps of some milliseconds (Linux 1 to 10, Windows 10 to 16), at a fraction of the cost.</summary>
    static abstract long CoarseMilliseconds();

    /// <summary>CPU time that the calling thread has used, in nanoseconds; where the system has no such clock, the time that has passed.</summary>
    static abstract long ThreadCpu();

    /// <summary>Starts a background thread into which no execution context flows from the caller.</summary>
    /// <exception cref="OutOfMemoryException">The system refuses.</exception>
    /// <exception cref="ThreadStartException">The system refuses.</exception>
    static abstract void Start(Action body, string name, int stackSize);
}
