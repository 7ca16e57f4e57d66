using AdaptivePool.Internal;

namespace AdaptivePool.Stress.Queues;

internal readonly unsafe partial struct YieldingSync
{
    public static void WriteAndFence(ref long location, long value, string member, int line)
    {
        Shake();
        RealSync.WriteAndFence(ref location, value, member, line);
    }

    public static int Exchange(ref int location, int value, string member, int line)
    {
        Shake();
        return RealSync.Exchange(ref location, value, member, line);
    }

    public static T CompareExchange<T>(ref T location, T value, T comparand, string member, int line)
    {
        Shake();
        return RealSync.CompareExchange(ref location, value, comparand, member, line);
    }

    public static int Increment(ref int location, string member, int line)
    {
        Shake();
        return RealSync.Increment(ref location, member, line);
    }

    public static int Decrement(ref int location, string member, int line)
    {
        Shake();
        return RealSync.Decrement(ref location, member, line);
    }

    public static void Fence(string member, int line)
    {
        Shake();
        RealSync.Fence(member, line);
    }

    public static int OrderedExchange(ref int location, int value, string member, int line)
    {
        Shake();
        return RealSync.OrderedExchange(ref location, value, member, line);
    }

    public static T OrderedCompareExchange<T>(ref T location, T value, T comparand, string member, int line)
    {
        Shake();
        return RealSync.OrderedCompareExchange(ref location, value, comparand, member, line);
    }

    public static T RelaxedCompareExchange<T>(ref T location, T value, T comparand, string member, int line)
    {
        Shake();
        return RealSync.RelaxedCompareExchange(ref location, value, comparand, member, line);
    }

    public static int RelaxedIncrement(ref int location, string member, int line)
    {
        Shake();
        return RealSync.RelaxedIncrement(ref location, member, line);
    }

    public static int RelaxedDecrement(ref int location, string member, int line)
    {
        Shake();
        return RealSync.RelaxedDecrement(ref location, member, line);
    }

    public static void Add(ref long location, long value, string member, int line)
    {
        Shake();
        RealSync.Add(ref location, value, member, line);
    }

    public static long OrderedIncrement(ref long location, string member, int line)
    {
        Shake();
        return RealSync.OrderedIncrement(ref location, member, line);
    }

    public static long OrderedDecrement(ref long location, string member, int line)
    {
        Shake();
        return RealSync.OrderedDecrement(ref location, member, line);
    }
}
