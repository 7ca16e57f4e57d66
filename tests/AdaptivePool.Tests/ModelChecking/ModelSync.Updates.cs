using System.Runtime.CompilerServices;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Atomic updates and fences.</summary>
internal readonly unsafe partial struct ModelSync
{
    public static long Exchange(ref long location, long value, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Set, value, 0, new Site(member, line, OperationKind.Exchange))
            : Interlocked.Exchange(ref location, value);

    public static int Exchange(ref int location, int value, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Set, value, 0, new Site(member, line, OperationKind.Exchange))
            : Interlocked.Exchange(ref location, value);

    public static T CompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.SetIf, value, comparand, new Site(member, line, OperationKind.CompareExchange))
            : Interlocked.CompareExchange(ref location, value, comparand);

    public static int Increment(ref int location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, 1, 0, new Site(member, line, OperationKind.Increment)) + 1
            : Interlocked.Increment(ref location);

    public static int Decrement(ref int location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, -1, 0, new Site(member, line, OperationKind.Decrement)) - 1
            : Interlocked.Decrement(ref location);

    public static void Add(ref long location, long value, string member, int line)
    {
        if (Caller is { } caller)
        {
            Update(caller, ref location, UpdateRule.Add, value, 0, new Site(member, line, OperationKind.Add));
        }
        else
        {
            Interlocked.Add(ref location, value);
        }
    }

    public static void Fence(string member, int line)
    {
        if (Caller is not { } caller)
        {
            return;
        }

        var site = new Site(member, line, OperationKind.Fence);
        caller.Run.Step(caller, site);
        if (caller.Run.WeakeningOf(site) is null)
        {
            caller.Run.Fence(caller);
        }
    }

    private static T Update<T>(VirtualThread caller, ref T location, UpdateRule rule, T value, T comparand, in Site site)
    {
        Execution run = caller.Run;
        run.Step(caller, site);
        (Value present, Value wanted, Value expected) = (Value.Of(location), Value.Of(value), Value.Of(comparand));
        Location memory = run.At((nint)Unsafe.AsPointer(ref location), present.Number, present.Reference);
        Message before = run.Update(caller, memory, site, rule, wanted.Number, wanted.Reference, expected.Number, expected.Reference);
        location = new Value(memory.Last.Number, memory.Last.Reference).As<T>();
        return new Value(before.Number, before.Reference).As<T>();
    }
}
