namespace AdaptivePool.Internal;

/// <summary>A lock for sections that are rare and short. No code inside it waits for work of the pool.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class SyncLock<TSync>
    where TSync : struct, ISync
{
    /// <summary>Enters the lock.</summary>
    /// <returns>The holder, which leaves the lock when it is disposed. Dispose it once.</returns>
    public Holder Hold()
    {
        TSync.Enter(this);
        return new Holder(this);
    }

    /// <summary>Enters the lock unless another thread is inside; for callers that must not wait.</summary>
    /// <param name="held">The holder, which leaves the lock when it is disposed, once; only where the caller is inside.</param>
    public bool TryHold(out Holder held)
    {
        bool isInside = TSync.TryEnter(this);
        held = isInside ? new Holder(this) : default;
        return isInside;
    }

    /// <summary>The right of the thread that is inside the lock.</summary>
    public readonly ref struct Holder(SyncLock<TSync> held)
    {
        public void Dispose() => TSync.Exit(held);
    }
}
