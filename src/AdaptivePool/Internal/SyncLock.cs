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

    /// <summary>Enters the lock unless another thread is inside: for whoever must not wait.</summary>
    /// <param name="held">What leaves it, once, when it is disposed; only where the caller is inside.</param>
    public bool TryHold(out Holder held)
    {
        bool isInside = TSync.TryEnter(this);
        held = isInside ? new Holder(this) : default;
        return isInside;
    }

    /// <summary>Whoever is inside.</summary>
    public readonly ref struct Holder(SyncLock<TSync> held)
    {
        public void Dispose() => TSync.Exit(held);
    }
}
