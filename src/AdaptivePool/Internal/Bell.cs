namespace AdaptivePool.Internal;

/// <summary>
/// Ends one wait of one thread, now or later. Rings do not add up. Whoever rings never waits, so a worker that does never enters the wait hook.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class Bell<TSync> : IDisposable
    where TSync : struct, ISync
{
    private readonly AutoResetEvent _rung = new(initialState: false);

    /// <summary>Rings. Any thread, also when the other has ended.</summary>
    public void Ring()
    {
        try
        {
            // Releases: pairs with Wait, after which the thread sees what was written before.
            TSync.Set(_rung);
        }
        catch (ObjectDisposedException)
        {
            // The thread has ended between the caller's look and this.
        }
    }

    /// <summary>Waits until rung at, no longer than the given time. One thread only.</summary>
    /// <param name="most">How long.</param>
    public void Wait(TimeSpan most) => TSync.WaitOne(_rung, most);

    /// <inheritdoc/>
    public void Dispose() => _rung.Dispose();
}
