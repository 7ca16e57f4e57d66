using AdaptivePool.Internal;

namespace AdaptivePool.Stress.Queues;

internal readonly unsafe partial struct YieldingSync
{
    public static T Read<T>(ref T location, string member, int line)
    {
        Shake();
        return RealSync.Read(ref location, member, line);
    }

    public static void Write<T>(ref T location, T value, string member, int line)
    {
        Shake();
        RealSync.Write(ref location, value, member, line);
    }

    public static long RelaxedRead(ref long location, string member, int line)
    {
        Shake();
        return RealSync.RelaxedRead(ref location, member, line);
    }

    public static int RelaxedRead(ref int location, string member, int line)
    {
        Shake();
        return RealSync.RelaxedRead(ref location, member, line);
    }

    public static void RelaxedWrite(ref int location, int value, string member, int line)
    {
        Shake();
        RealSync.RelaxedWrite(ref location, value, member, line);
    }

    public static void RelaxedWrite(ref long location, long value, string member, int line)
    {
        Shake();
        RealSync.RelaxedWrite(ref location, value, member, line);
    }

    public static long VolatileRead(ref long location, string member, int line)
    {
        Shake();
        return RealSync.VolatileRead(ref location, member, line);
    }

    public static int VolatileRead(ref int location, string member, int line)
    {
        Shake();
        return RealSync.VolatileRead(ref location, member, line);
    }

    public static T VolatileRead<T>(ref T location, string member, int line)
        where T : class?
    {
        Shake();
        return RealSync.VolatileRead(ref location, member, line);
    }

    public static void VolatileWrite(ref long location, long value, string member, int line)
    {
        Shake();
        RealSync.VolatileWrite(ref location, value, member, line);
    }

    public static void VolatileWrite(ref int location, int value, string member, int line)
    {
        Shake();
        RealSync.VolatileWrite(ref location, value, member, line);
    }

    public static void VolatileWrite<T>(ref T location, T value, string member, int line)
        where T : class?
    {
        Shake();
        RealSync.VolatileWrite(ref location, value, member, line);
    }

    public static bool RelaxedRead(ref bool location, string member, int line)
    {
        Shake();
        return RealSync.RelaxedRead(ref location, member, line);
    }

    public static T RelaxedRead<T>(ref T location, string member, int line)
        where T : class?
    {
        Shake();
        return RealSync.RelaxedRead(ref location, member, line);
    }

    public static void RelaxedWrite(ref bool location, bool value, string member, int line)
    {
        Shake();
        RealSync.RelaxedWrite(ref location, value, member, line);
    }

    public static void RelaxedWrite<T>(ref T location, T value, string member, int line)
        where T : class?
    {
        Shake();
        RealSync.RelaxedWrite(ref location, value, member, line);
    }
}
