namespace AdaptivePool.Internal;

/// <summary>
/// Ends one wait of one thread, now or later. Rings do not add up. Whoever rings never waits, so a worker that does never enters the wait hook.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class Bell<TSync>
    where TSync : struct, ISync
{
    // Never disposed: whoever rings may come later than the end of the thread.
    private readonly AutoResetEvent _rung = new(initialState: false);

    /// <summary>Rings. Any thread, also when the other has ended.</summary>
    // Releases: pairs with Wait, after which the thread sees what was written before.
    public void Ring() => TSync.Set(_rung);

    /// <summary>Waits until rung at, no longer than the given time. One thread only.</summary>
    /// <param name="most">How long.</param>
    public void Wait(TimeSpan most) => TSync.WaitOne(_rung, most);
}
