using System.Runtime.CompilerServices;

namespace AdaptivePool.Internal;

/// <remarks>
/// Updates that promise less than an atomic update with a full fence. .NET has none that is cheaper, so the machine does the same for all of them; but the
/// model checker gives only what is promised here, so the rest is nowhere relied on.
/// Ordered: acquires and releases. Relaxed: atomic, and orders nothing.
/// </remarks>
internal unsafe partial interface ISync
{
    /// <summary>
    /// Writes with release, and is a full fence: for a location that only its owner writes. As one operation it is cheaper than a write and a fence (19 against
    /// 29 ns in a loop, x64).
    /// </summary>
    static abstract void WriteAndFence(ref long location, long value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract int OrderedExchange(ref int location, int value, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T OrderedCompareExchange<T>(
        ref T location, T value, T comparand, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds one.</summary>
    /// <returns>The new value.</returns>
    static abstract long OrderedIncrement(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Subtracts one.</summary>
    /// <returns>The new value.</returns>
    static abstract long OrderedDecrement(ref long location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    static abstract T RelaxedCompareExchange<T>(
        ref T location, T value, T comparand, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Adds one.</summary>
    /// <returns>The new value.</returns>
    static abstract int RelaxedIncrement(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);

    /// <summary>Subtracts one.</summary>
    /// <returns>The new value.</returns>
    static abstract int RelaxedDecrement(ref int location, [CallerMemberName] string member = "", [CallerLineNumber] int line = 0);
}
