namespace AdaptivePool.Dispatch;

/// <summary>The state of a worker in the sleep protocol: number, place in the idle stack, what it sleeps on, and what it was told when it was woken.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal abstract class Sleeper<TSync>(int id, Parking parking)
    where TSync : struct, ISync
{
    private int _nextIdle;
    private bool _mustEnd;

    public int Id { get; } = id;

    /// <summary>Number of the next worker in the idle stack plus one. Written by the pusher, read by poppers; see <see cref="IdleStack{TSync}"/>.</summary>
    public ref int NextIdle => ref _nextIdle;

    /// <summary>Whether this worker carries the searcher's token. Owner only.</summary>
    public bool IsSearching { get; set; }

    /// <summary>Whether the worker sleeps and no thread has woken it. Any thread; a hint while it moves.</summary>
    protected bool IsAsleep => parking.IsAsleep;

    /// <summary>Wakes the worker. The caller has popped it from the idle stack.</summary>
    /// <param name="retire">Whether it is to end; if not, it carries the searcher's token.</param>
    public void Wake(bool retire)
    {
        TSync.Write(ref _mustEnd, retire);

        // Publishes what the worker is told: pairs with the read of the permit in Park.
        parking.Unpark();
    }

    /// <summary>Sleeps until woken. Owner only.</summary>
    /// <returns><see langword="false"/> when the worker is to end.</returns>
    protected bool Sleep()
    {
        parking.Park();
        return IsSearching = !TSync.Read(ref _mustEnd);
    }
}
