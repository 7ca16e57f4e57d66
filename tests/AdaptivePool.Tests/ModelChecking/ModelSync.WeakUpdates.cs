namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Updates that promise less than a full fence: here they give no more.</summary>
internal readonly unsafe partial struct ModelSync
{
    public static void WriteAndFence(ref long location, long value, string member, int line)
    {
        if (Caller is { } caller)
        {
            Update(caller, ref location, UpdateRule.Set, value, 0, new Site(member, line, OperationKind.WriteAndFence));
        }
        else
        {
            Interlocked.Exchange(ref location, value);
        }
    }

    public static int OrderedExchange(ref int location, int value, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Set, value, 0, new Site(member, line, OperationKind.OrderedExchange))
            : Interlocked.Exchange(ref location, value);

    public static T OrderedCompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.SetIf, value, comparand, new Site(member, line, OperationKind.OrderedCompareExchange))
            : Interlocked.CompareExchange(ref location, value, comparand);

    public static long OrderedIncrement(ref long location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, 1, 0, new Site(member, line, OperationKind.OrderedIncrement)) + 1
            : Interlocked.Increment(ref location);

    public static long OrderedDecrement(ref long location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, -1, 0, new Site(member, line, OperationKind.OrderedDecrement)) - 1
            : Interlocked.Decrement(ref location);

    public static T RelaxedCompareExchange<T>(ref T location, T value, T comparand, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.SetIf, value, comparand, new Site(member, line, OperationKind.RelaxedCompareExchange))
            : Interlocked.CompareExchange(ref location, value, comparand);

    public static int RelaxedIncrement(ref int location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, 1, 0, new Site(member, line, OperationKind.RelaxedIncrement)) + 1
            : Interlocked.Increment(ref location);

    public static int RelaxedDecrement(ref int location, string member, int line) =>
        Caller is { } caller ? Update(caller, ref location, UpdateRule.Add, -1, 0, new Site(member, line, OperationKind.RelaxedDecrement)) - 1
            : Interlocked.Decrement(ref location);
}
