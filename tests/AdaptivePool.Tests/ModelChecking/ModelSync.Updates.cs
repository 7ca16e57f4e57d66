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

    public static long CompareExchange(ref long location, long value, long comparand, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.SetIf, value, comparand, new Site(member, line, OperationKind.CompareExchange))
            : Interlocked.CompareExchange(ref location, value, comparand);

    public static int CompareExchange(ref int location, int value, int comparand, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.SetIf, value, comparand, new Site(member, line, OperationKind.CompareExchange))
            : Interlocked.CompareExchange(ref location, value, comparand);

    public static T CompareExchange<T>(ref T location, T value, T comparand, string member, int line)
        where T : class? =>
        Caller is { } caller ? Update(caller, ref location, value, comparand, new Site(member, line, OperationKind.CompareExchange))
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

    private static long Update(VirtualThread caller, ref long location, UpdateRule rule, long value, long comparand, in Site site)
    {
        Execution run = caller.Run;
        run.Step(caller, site);
        Location memory = run.At((nint)Unsafe.AsPointer(ref location), location, null);
        Message before = run.Update(caller, memory, site, rule, value, null, comparand);
        location = memory.Last.Number;
        return before.Number;
    }

    private static int Update(VirtualThread caller, ref int location, UpdateRule rule, int value, int comparand, in Site site)
    {
        Execution run = caller.Run;
        run.Step(caller, site);
        Location memory = run.At((nint)Unsafe.AsPointer(ref location), location, null);
        Message before = run.Update(caller, memory, site, rule, value, null, comparand);
        location = (int)memory.Last.Number;
        return (int)before.Number;
    }
}
