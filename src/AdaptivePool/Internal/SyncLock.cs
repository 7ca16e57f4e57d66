namespace AdaptivePool.Internal;

/// <summary>A lock. For what is rare and short; nothing inside it waits for work of the pool.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class SyncLock<TSync>
    where TSync : struct, ISync
{
    /// <summary>Enters the lock.</summary>
    /// <returns>What leaves it, once, when it is disposed.</returns>
    public Holder Hold()
    {
        TSync.Enter(this);
        return new Holder(this);
    }

    /// <summary>Whoever is inside.</summary>
    public readonly ref struct Holder(SyncLock<TSync> held)
    {
        private readonly SyncLock<TSync> _held = held;

        public void Dispose() => TSync.Exit(_held);
    }
}
