namespace AdaptivePool.Internal;

/// <summary>A lock. For what is rare and short; nothing inside it waits for work of the pool.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class Gate<TSync>
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
    public readonly ref struct Holder(Gate<TSync> gate)
    {
        private readonly Gate<TSync> _gate = gate;

        public void Dispose() => TSync.Exit(_gate);
    }
}
