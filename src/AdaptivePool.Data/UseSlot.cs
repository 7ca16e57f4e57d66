using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The present use of a connection, if it is open: of several that open or close it at once, one does.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="TSession">Type of sessions.</typeparam>
internal sealed class UseSlot<TSync, TSession>
    where TSync : struct, ISync
    where TSession : class
{
    private ConnectionUse<TSync, TSession>? _use;

    /// <summary>The present use; <see langword="null"/> while the connection is closed.</summary>
    // What it is, the runtime publishes with the reference to it.
    public ConnectionUse<TSync, TSession>? Present => TSync.RelaxedRead(ref _use);

    /// <summary>Begins a use; false when there is one.</summary>
    // Pairs with itself.
    public bool TryOpen() => TSync.RelaxedCompareExchange(ref _use, new ConnectionUse<TSync, TSession>(), null) is null;

    /// <summary>Takes the present use out, for one caller, who ends it.</summary>
    public ConnectionUse<TSync, TSession>? TryTake()
    {
        ConnectionUse<TSync, TSession>? present = Present;

        // Pairs with itself.
        return present is not null && ReferenceEquals(TSync.RelaxedCompareExchange(ref _use, null, present), present) ? present : null;
    }
}
