namespace AdaptivePool;

/// <summary>Decides whether an item may wait in the queue of its class, and whether it has waited too long.</summary>
internal static class QueueBoundRule
{
    /// <summary>Shorter waits are the time that a worker takes to come, and say nothing about how fast a queue drains.</summary>
    private static readonly TimeSpan s_realWait = TimeSpan.FromMilliseconds(1);

    /// <summary>Items of a class that its queue is about to lose: those for which there is a place already.</summary>
    /// <param name="free">Places that the class has left below its limit; negative where it is past it.</param>
    /// <param name="freeOfAll">Places that root work of all classes has left.</param>
    public static int FreePlaces(int free, int freeOfAll) => Math.Max(0, Math.Min(free, freeOfAll));

    /// <summary>Whether one more may wait. Those for which there is a place do not count as waiting.</summary>
    public static bool MayWait(int queued, int maxQueued, int freePlaces) => queued < (long)maxQueued + freePlaces;

    /// <summary>Whether an item has waited too long to be worth its run.</summary>
    /// <param name="waited">How long it has waited.</param>
    /// <param name="most">How long it may; negative for as long as it takes.</param>
    public static bool IsTooLate(TimeSpan waited, TimeSpan most) => most >= TimeSpan.Zero && waited > most;

    /// <summary>Whether an item has waited for a place.</summary>
    public static bool HasWaited(TimeSpan waited) => waited >= s_realWait;
}
