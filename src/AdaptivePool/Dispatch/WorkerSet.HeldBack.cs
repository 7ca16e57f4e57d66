namespace AdaptivePool.Dispatch;

/// <remarks>Items of open transactions that wait with new work.</remarks>
internal sealed partial class WorkerSet<TSync>
{
    /// <summary>Those that wait so, and those that did.</summary>
    public HeldBackItems<TSync> HeldBack { get; } = new();

    /// <summary>Queues those that have waited too long a second time, with what is in flight. Sizing only.</summary>
    /// <param name="now">Time in seconds, without what the process stood still.</param>
    /// <param name="after">How long is too long; negative for never.</param>
    public void KickUpHeldBack(double now, TimeSpan after)
    {
        HeldBack.Look(now);
        while (HeldBack.TryTakeDue(now, after, out object? item))
        {
            QueueInFlight(item);
        }
    }
}
