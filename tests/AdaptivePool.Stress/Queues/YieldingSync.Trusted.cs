using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Internal;

namespace AdaptivePool.Stress.Queues;

internal readonly unsafe partial struct YieldingSync
{
    public static void Enqueue(ConcurrentQueue<object> queue, object item, string member, int line)
    {
        Shake();
        RealSync.Enqueue(queue, item, member, line);
    }

    public static bool TryDequeue(ConcurrentQueue<object> queue, [MaybeNullWhen(false)] out object item, string member, int line)
    {
        Shake();
        return RealSync.TryDequeue(queue, out item, member, line);
    }

    public static int Count(ConcurrentQueue<object> queue, string member, int line)
    {
        Shake();
        return RealSync.Count(queue, member, line);
    }

    public static bool IsEmpty(ConcurrentQueue<object> queue, string member, int line)
    {
        Shake();
        return RealSync.IsEmpty(queue, member, line);
    }

    public static void FutexWait(int* word, int expected, string member, int line)
    {
        Shake();
        RealSync.FutexWait(word, expected, member, line);
    }

    public static void FutexWake(int* word, string member, int line)
    {
        Shake();
        RealSync.FutexWake(word, member, line);
    }

    public static void Enter(object monitor, string member, int line)
    {
        Shake();
        RealSync.Enter(monitor, member, line);
    }

    public static bool TryEnter(object monitor, string member, int line)
    {
        Shake();
        return RealSync.TryEnter(monitor, member, line);
    }

    public static void Exit(object monitor, string member, int line)
    {
        Shake();
        RealSync.Exit(monitor, member, line);
    }

    public static void Set(AutoResetEvent called, string member, int line) => RealSync.Set(called, member, line);

    public static void WaitOne(AutoResetEvent called, TimeSpan most, string member, int line) => RealSync.WaitOne(called, most, member, line);

    public static void ForgetInterrupt(string member, int line) => RealSync.ForgetInterrupt(member, line);

    public static void Yield() => RealSync.Yield();

    public static long ThreadCpu() => RealSync.ThreadCpu();

    public static WakeDebt OwnDebt() => RealSync.OwnDebt();

    public static WakeDebt[] AllDebts() => RealSync.AllDebts();

    public static int NewCreditor() => RealSync.NewCreditor();

    public static long Timestamp() => RealSync.Timestamp();

    public static long CoarseMilliseconds() => RealSync.CoarseMilliseconds();

    public static void Start(Action body, string name, int stackSize) => RealSync.Start(body, name, stackSize);
}
