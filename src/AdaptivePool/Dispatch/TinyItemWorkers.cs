namespace AdaptivePool.Dispatch;

/// <summary>
/// How many workers of one class tiny items are left to. Items that end about as fast as they are queued need one core for the thread that queues them. A
/// worker on that core takes it away from the producer, and each further worker takes the head of the queue from the others.
/// </summary>
internal static class TinyItemWorkers
{
    /// <summary>Idle share of the allowed cores from which on another worker has a core to run on: half of one of two cores.</summary>
    public const double IdleShare = 0.25;

    /// <summary>
    /// Time without an end of any item after which the workers count as held up: longer than a worker waits for its core while two other threads compute
    /// beside it.
    /// </summary>
    public const double PatienceSeconds = 0.01;

    /// <summary>For this long after a wait in an item of the class, the workers are not counted on: a worker that waits does not empty the queue.</summary>
    public const double WaitMemorySeconds = 1;

    /// <summary>All cores but the one for the thread that queues, and at least one worker.</summary>
    /// <param name="cores">Cores the process may use.</param>
    public static int Usual(int cores) => Math.Max(1, cores - 1);

    /// <summary>How many workers until the next look.</summary>
    /// <param name="queued">Items that wait.</param>
    /// <param name="isHeldUp">Whether the workers were seen held up and the queue was not empty since: see <see cref="IsHeldUp"/>.</param>
    /// <param name="secondsSinceWait">Time since an item of the class was last seen to wait.</param>
    /// <param name="idleShare">Idle share of the allowed cores; NaN when not known.</param>
    /// <param name="cores">Cores the process may use.</param>
    public static int Next(int queued, bool isHeldUp, double secondsSinceWait, double idleShare, int cores) =>
        secondsSinceWait < WaitMemorySeconds || (queued > 0 && (isHeldUp || idleShare >= IdleShare)) ? int.MaxValue : Usual(cores);

    /// <summary>
    /// Whether the workers are held up. Once they are, they stay so until nothing waits: other workers that end items say nothing about them.
    /// </summary>
    /// <param name="wasHeldUp">Whether they were at the look before.</param>
    /// <param name="queued">Items that wait.</param>
    /// <param name="secondsWithoutEnd">Time in which items waited and none ended.</param>
    public static bool IsHeldUp(bool wasHeldUp, int queued, double secondsWithoutEnd) => queued > 0 && (wasHeldUp || secondsWithoutEnd >= PatienceSeconds);
}
