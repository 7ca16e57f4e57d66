namespace AdaptivePool.Internal;

/// <summary>
/// Ends one wait of one thread, now or later. Rings do not add up. A thread that rings never waits, so a worker that rings never enters the wait hook.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class Bell<TSync>
    where TSync : struct, ISync
{
    // Never disposed: a thread may ring later than the end of the waiting thread.
    private readonly AutoResetEvent _rung = new(initialState: false);

    /// <summary>Rings. Any thread may call it, also when the waiting thread has ended.</summary>
    // Releases: pairs with Wait, after which the thread sees what was written before.
    public void Ring() => TSync.Set(_rung);

    /// <summary>Waits until the bell is rung, but no longer than the given time. Only one thread may call it.</summary>
    /// <param name="most">The longest wait.</param>
    public void Wait(TimeSpan most) => TSync.WaitOne(_rung, most);
}
