using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The shim under check: each call is a choice point of the run that the caller belongs to. Outside a run it is the plain operation.</summary>
internal readonly unsafe partial struct ModelSync : ISync
{
    /// <summary>The virtual thread that calls, unless there is none or it only unwinds.</summary>
    private static VirtualThread? Caller => VirtualThread.Current is { } caller && !caller.Unwinds() ? caller : null;

    public static long Read(ref long location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.Read), Unsafe.AsPointer(ref location), location, null, isAcquire: false);
        return message.Number;
    }

    public static int Read(ref int location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.Read), Unsafe.AsPointer(ref location), location, null, isAcquire: false);
        return (int)message.Number;
    }

    public static T Read<T>(ref T location, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.Read), Unsafe.AsPointer(ref location), 0, location, isAcquire: false);
        return (T)message.Reference!;
    }

    public static long RelaxedRead(ref long location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.RelaxedRead), Unsafe.AsPointer(ref location), location, null, isAcquire: false);
        return message.Number;
    }

    public static int RelaxedRead(ref int location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.RelaxedRead), Unsafe.AsPointer(ref location), location, null, isAcquire: false);
        return (int)message.Number;
    }

    public static long VolatileRead(ref long location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.VolatileRead), Unsafe.AsPointer(ref location), location, null, isAcquire: true);
        return message.Number;
    }

    public static int VolatileRead(ref int location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.VolatileRead), Unsafe.AsPointer(ref location), location, null, isAcquire: true);
        return (int)message.Number;
    }

    public static T VolatileRead<T>(ref T location, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.VolatileRead), Unsafe.AsPointer(ref location), 0, location, isAcquire: true);
        return (T)message.Reference!;
    }

    public static bool RelaxedRead(ref bool location, string member, int line)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.RelaxedRead), Unsafe.AsPointer(ref location), location ? 1 : 0, null,
            isAcquire: false);
        return message.Number != 0;
    }

    public static T RelaxedRead<T>(ref T location, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        Message message = Load(caller, new Site(member, line, OperationKind.RelaxedRead), Unsafe.AsPointer(ref location), 0, location, isAcquire: false);
        return (T)message.Reference!;
    }

    public static void Write(ref long location, long value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.Write), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: false))
        {
            location = value;
        }
    }

    public static void Write(ref int location, int value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.Write), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: false))
        {
            location = value;
        }
    }

    public static void Write<T>(ref T location, T value, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.Write), Unsafe.AsPointer(ref location), 0, location, 0, value, isRelease: false))
        {
            location = value;
        }
    }

    public static void RelaxedWrite(ref int location, int value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.RelaxedWrite), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: false))
        {
            location = value;
        }
    }

    public static void RelaxedWrite(ref long location, long value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.RelaxedWrite), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: false))
        {
            location = value;
        }
    }

    public static void RelaxedWrite(ref bool location, bool value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.RelaxedWrite), Unsafe.AsPointer(ref location), location ? 1 : 0, null, value ? 1 : 0, null,
                isRelease: false))
        {
            location = value;
        }
    }

    public static void RelaxedWrite<T>(ref T location, T value, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.RelaxedWrite), Unsafe.AsPointer(ref location), 0, location, 0, value, isRelease: false))
        {
            location = value;
        }
    }

    public static void VolatileWrite(ref long location, long value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.VolatileWrite), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: true))
        {
            location = value;
        }
    }

    public static void VolatileWrite(ref int location, int value, string member, int line)
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.VolatileWrite), Unsafe.AsPointer(ref location), location, null, value, null, isRelease: true))
        {
            location = value;
        }
    }

    public static void VolatileWrite<T>(ref T location, T value, string member, int line)
        where T : class?
    {
        if (Caller is not { } caller
            || Store(caller, new Site(member, line, OperationKind.VolatileWrite), Unsafe.AsPointer(ref location), 0, location, 0, value, isRelease: true))
        {
            location = value;
        }
    }

    private static Message Load(VirtualThread caller, in Site site, void* address, long number, object? reference, bool isAcquire)
    {
        Execution run = caller.Run;
        run.Step(caller, site);
        return run.Load(caller, run.At((nint)address, number, reference), isAcquire && run.WeakeningOf(site) is null);
    }

    private static bool Store(VirtualThread caller, in Site site, void* address, long before, object? referenceBefore, long number, object? reference,
        bool isRelease)
    {
        Execution run = caller.Run;
        run.Step(caller, site);
        return run.Store(caller, run.At((nint)address, before, referenceBefore), number, reference, isRelease && run.WeakeningOf(site) is null);
    }
}
