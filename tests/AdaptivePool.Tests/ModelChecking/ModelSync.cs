using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The shim under check: each call is a choice point of the run that the caller belongs to. Outside a run it is the plain operation.</summary>
internal readonly unsafe partial struct ModelSync : ISync
{
    /// <summary>The virtual thread that calls, unless there is none or it only unwinds.</summary>
    private static VirtualThread? Caller => VirtualThread.Current is { } caller && !caller.Unwinds() ? caller : null;

    public static T Read<T>(ref T location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.Read), isAcquire: false);

    public static long RelaxedRead(ref long location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.RelaxedRead), isAcquire: false);

    public static int RelaxedRead(ref int location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.RelaxedRead), isAcquire: false);

    public static bool RelaxedRead(ref bool location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.RelaxedRead), isAcquire: false);

    public static T RelaxedRead<T>(ref T location, string member, int line)
        where T : class? =>
        Load(ref location, new Site(member, line, OperationKind.RelaxedRead), isAcquire: false);

    public static long VolatileRead(ref long location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.VolatileRead), isAcquire: true);

    public static int VolatileRead(ref int location, string member, int line) =>
        Load(ref location, new Site(member, line, OperationKind.VolatileRead), isAcquire: true);

    public static T VolatileRead<T>(ref T location, string member, int line)
        where T : class? =>
        Load(ref location, new Site(member, line, OperationKind.VolatileRead), isAcquire: true);

    public static void Write<T>(ref T location, T value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.Write), isRelease: false);

    public static void RelaxedWrite(ref long location, long value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.RelaxedWrite), isRelease: false);

    public static void RelaxedWrite(ref int location, int value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.RelaxedWrite), isRelease: false);

    public static void RelaxedWrite(ref bool location, bool value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.RelaxedWrite), isRelease: false);

    public static void RelaxedWrite<T>(ref T location, T value, string member, int line)
        where T : class? =>
        Store(ref location, value, new Site(member, line, OperationKind.RelaxedWrite), isRelease: false);

    public static void VolatileWrite(ref long location, long value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.VolatileWrite), isRelease: true);

    public static void VolatileWrite(ref int location, int value, string member, int line) =>
        Store(ref location, value, new Site(member, line, OperationKind.VolatileWrite), isRelease: true);

    public static void VolatileWrite<T>(ref T location, T value, string member, int line)
        where T : class? =>
        Store(ref location, value, new Site(member, line, OperationKind.VolatileWrite), isRelease: true);

    private static T Load<T>(ref T location, in Site site, bool isAcquire)
    {
        if (Caller is not { } caller)
        {
            return location;
        }

        var present = Value.Of(location);
        Execution run = caller.Run;
        run.Step(caller, site);
        Location memory = run.At((nint)Unsafe.AsPointer(ref location), present.Number, present.Reference);
        Message message = run.Load(caller, memory, isAcquire && run.WeakeningOf(site) is null);
        return new Value(message.Number, message.Reference).As<T>();
    }

    private static void Store<T>(ref T location, T value, in Site site, bool isRelease)
    {
        if (Caller is { } caller)
        {
            (Value before, Value after) = (Value.Of(location), Value.Of(value));
            Execution run = caller.Run;
            run.Step(caller, site);
            Location memory = run.At((nint)Unsafe.AsPointer(ref location), before.Number, before.Reference);
            if (!run.Store(caller, memory, after.Number, after.Reference, isRelease && run.WeakeningOf(site) is null))
            {
                return;
            }
        }

        location = value;
    }
}
