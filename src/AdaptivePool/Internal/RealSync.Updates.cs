
namespace AdaptivePool.Internal;

#pragma warning disable MA0061 // the defaults of the interface name the call site; a call of this type itself is an error
internal readonly unsafe partial struct RealSync
{
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
}
