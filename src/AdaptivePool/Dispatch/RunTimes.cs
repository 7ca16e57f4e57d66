namespace AdaptivePool.Dispatch;

/// <summary>
/// How long items of a class ran, without the time in which they only waited for a core: on a full machine an item of 40 us is put aside for some milliseconds
/// now and then. An item that waited for anything else counts with all its time.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class RunTimes<TSync>
    where TSync : struct, ISync
{
    private long _items;
    private long _nanoseconds;

    /// <summary>Items that were measured, and their time.</summary>
    public (long Items, double Seconds) Total => (TSync.RelaxedRead(ref _items), TSync.RelaxedRead(ref _nanoseconds) * 1e-9);

    /// <summary>Called when the calling thread begins an item.</summary>
    public static ThreadUse Begin() => ThreadUse.Own();

    /// <summary>Called when the item has ended.</summary>
    /// <param name="begun">What <see cref="Begin"/> returned.</param>
    /// <param name="seconds">Time that has passed since.</param>
    public void End(ThreadUse begun, double seconds)
    {
        double ran = ThreadUse.Own().RunSince(begun, seconds);

        // Statistics: additions must not be lost; their order does not matter. A read between the two is off by one item.
        TSync.Add(ref _nanoseconds, (long)(ran * 1e9));
        TSync.Add(ref _items, 1);
    }
}
