using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Internal;

#pragma warning disable MA0061 // the defaults of the interface name the call site; a call of this type itself is an error
/// <summary>The machine itself: each operation compiles to that of .NET, and the names of call sites compile to nothing.</summary>
/// <remarks>
/// A method that only passes a call on is so short that the runtime always inlines it. A method that reads a word or two with it, for each item, is marked
/// for inlining. Without a profile (ahead of time, or with TieredPGO off) the compiler takes it for longer than it is, and an item cost a quarter to a third
/// more.
/// </remarks>
internal readonly unsafe struct RealSync : ISync
{
    /// <summary>Never set. A wait for it with a time of zero does not block, and consumes a pending interrupt.</summary>
    private static readonly ManualResetEvent s_never = new(initialState: false);

    public static T Read<T>(ref T location, string member, int line) => location;

    public static void Write<T>(ref T location, T value, string member, int line) => location = value;

    public static long RelaxedRead(ref long location, string member, int line) => Volatile.Read(ref location);

    public static int RelaxedRead(ref int location, string member, int line) => Volatile.Read(ref location);

    public static bool RelaxedRead(ref bool location, string member, int line) => Volatile.Read(ref location);

    public static T RelaxedRead<T>(ref T location, string member, int line)
        where T : class? => Volatile.Read(ref location);

    public static void RelaxedWrite(ref int location, int value, string member, int line) => Volatile.Write(ref location, value);

    public static void RelaxedWrite(ref long location, long value, string member, int line) => Volatile.Write(ref location, value);

    public static void RelaxedWrite(ref bool location, bool value, string member, int line) => Volatile.Write(ref location, value);

    public static void RelaxedWrite<T>(ref T location, T value, string member, int line)
        where T : class? => Volatile.Write(ref location, value);

    public static long VolatileRead(ref long location, string member, int line) => Volatile.Read(ref location);

    public static int VolatileRead(ref int location, string member, int line) => Volatile.Read(ref location);

    public static T VolatileRead<T>(ref T location, string member, int line)
        where T : class? => Volatile.Read(ref location);

    public static void VolatileWrite(ref long location, long value, string member, int line) => Volatile.Write(ref location, value);

    public static void VolatileWrite(ref int location, int value, string member, int line) => Volatile.Write(ref location, value);

    public static void VolatileWrite<T>(ref T location, T value, string member, int line)
        where T : class? => Volatile.Write(ref location, value);

    public static int Exchange(ref int location, int value, string member, int line) => Interlocked.Exchange(ref location, value);

    public static T CompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Interlocked.CompareExchange(ref location, value, comparand);

    public static int Increment(ref int location, string member, int line) => Interlocked.Increment(ref location);

    public static int Decrement(ref int location, string member, int line) => Interlocked.Decrement(ref location);

    public static void Add(ref long location, long value, string member, int line) => Interlocked.Add(ref location, value);

    public static void Fence(string member, int line) => Interlocked.MemoryBarrier();

    public static void WriteAndFence(ref long location, long value, string member, int line) => Interlocked.Exchange(ref location, value);

    public static int OrderedExchange(ref int location, int value, string member, int line) => Interlocked.Exchange(ref location, value);

    public static T OrderedCompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Interlocked.CompareExchange(ref location, value, comparand);

    public static long OrderedIncrement(ref long location, string member, int line) => Interlocked.Increment(ref location);

    public static long OrderedDecrement(ref long location, string member, int line) => Interlocked.Decrement(ref location);

    public static T RelaxedCompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Interlocked.CompareExchange(ref location, value, comparand);

    public static int RelaxedIncrement(ref int location, string member, int line) => Interlocked.Increment(ref location);

    public static int RelaxedDecrement(ref int location, string member, int line) => Interlocked.Decrement(ref location);

    public static void Enqueue(ConcurrentQueue<object> queue, object item, string member, int line)
    {
        try
        {
            queue.Enqueue(item);
        }
        catch (ThreadInterruptedException)
        {
            // Thrown at the queue's own lock, before the item is in the queue. It is tried again, and the interrupt is left for the caller's own next wait.
            Thread.CurrentThread.Interrupt();
            Uninterrupted(static it => it.Queue.Enqueue(it.Item), (Queue: queue, Item: item));
        }
    }

    public static bool TryDequeue(ConcurrentQueue<object> queue, [MaybeNullWhen(false)] out object item, string member, int line) => queue.TryDequeue(out item);

    public static int Count(ConcurrentQueue<object> queue, string member, int line) => queue.Count;

    public static bool IsEmpty(ConcurrentQueue<object> queue, string member, int line) => queue.IsEmpty;

    public static void FutexWait(int* word, int expected, string member, int line) => NativeMethods.FutexWait(word, expected);

    public static void FutexWake(int* word, string member, int line) => NativeMethods.FutexWake(word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Enter(object monitor, string member, int line)
    {
        if (!Monitor.TryEnter(monitor))
        {
            Uninterrupted(Monitor.Enter, monitor);
        }
    }

    public static bool TryEnter(object monitor, string member, int line) => Monitor.TryEnter(monitor);

    public static void Exit(object monitor, string member, int line) => Monitor.Exit(monitor);

    /// <summary>
    /// Ends the registration, also on a thread that is interrupted while another one holds the lock of the token's source: what the caller does next must not
    /// be left out. The source's lock spins, and sleeps in between.
    /// </summary>
    public static void Unregister(CancellationTokenRegistration registration) => Uninterrupted(static it => it.Unregister(), registration);

    private static void Uninterrupted<T>(Action<T> step, T state)
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                step(state);
                break;
            }
            catch (ThreadInterruptedException)
            {
                // The thread that holds the lock is about to leave it, and the work under the lock must not be left out.
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            // Left for the caller's own next wait.
            Thread.CurrentThread.Interrupt();
        }
    }

    public static void Set(AutoResetEvent called, string member, int line) => called.Set();

    public static void WaitOne(AutoResetEvent called, TimeSpan most, string member, int line)
    {
        try
        {
            called.WaitOne(most);
        }
        catch (ThreadInterruptedException)
        {
            // Only threads of the pool wait here, between their tasks, and a handler of the pool's events may have interrupted its own thread. The interrupt
            // is meant for no item. For the caller this is a wait that ended without a reason.
        }
    }

    public static void ForgetInterrupt(string member, int line)
    {
        // Costs a quarter of a microsecond.
        try
        {
            s_never.WaitOne(0);
        }
        catch (ThreadInterruptedException)
        {
            // The interrupt came while no item ran, or the item for which it was meant has ended.
        }
    }

    public static void Yield() => Thread.Yield();

    public static WakeDebt OwnDebt() => WakeDebt.Own;

    public static WakeDebt[] AllDebts() => WakeDebt.All();

    public static int NewCreditor() => WakeDebt.NewCreditor();

    public static long Timestamp() => Stopwatch.GetTimestamp();

    public static long CoarseMilliseconds() => CoarseTime.Instance.GetTimestamp();

    public static long ThreadCpu() => ThreadClock.OwnNanoseconds();

    // UnsafeStart: the execution context of the thread that happened to ask for another thread must not leak into that thread.
    public static void Start(Action body, string name, int stackSize) => new Thread(() => body(), stackSize) { IsBackground = true, Name = name }.UnsafeStart();
}
