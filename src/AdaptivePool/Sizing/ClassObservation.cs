using AdaptivePool.Sensing;

namespace AdaptivePool.Sizing;

/// <summary>What is known about one work class at one tick. The policies read no clock and no counter themselves.</summary>
internal readonly record struct ClassObservation
{
    // 0.05 of 40 workers are two, not three.
    private const double Rounding = 1e-6;

    // A longer time between two looks means that the pool slept. No work was waiting, and no measurement may extend across that time.
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(0.5);

    /// <summary>Half of the time that makes a class slow: a worker in a steady item of that length is found at this age or older half of the time.</summary>
    public static TimeSpan LongHold { get; } = TimeSpan.FromSeconds(0.05);

    /// <summary>Ages are rounded: an item that is first seen at a given moment must not count as younger than that.</summary>
    public static TimeSpan Grain { get; } = TimeSpan.FromMilliseconds(0.1);

    /// <summary>Time since an arbitrary start; never goes back.</summary>
    public required TimeSpan Now { get; init; }

    /// <summary>Time since the look before.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>No look was taken for so long that no earlier measurement continues.</summary>
    public bool IsAfterPause => Elapsed > s_pause;

    /// <summary>The limit in force, in threads.</summary>
    public required int Limit { get; init; }

    /// <summary>When it was put in force.</summary>
    public TimeSpan LimitSince { get; init; }

    /// <summary>
    /// The lowest value that the limit in force can have, whatever is decided. It is set for a class with a weight, which its slots bound. One or less means
    /// no such bound.
    /// </summary>
    public int Least { get; init; }

    /// <summary>Workers that hold an item of the class, blocked ones included; may exceed <see cref="Limit"/> after it was lowered.</summary>
    public required int Active { get; init; }

    /// <summary>Time that workers held an item, all together, in seconds; cumulative, differences make means.</summary>
    public double BusySeconds { get; init; }

    /// <summary>Of this, time in items that they had held for <see cref="LongHold"/> or longer.</summary>
    public double LongSeconds { get; init; }

    /// <summary>Items of the class that wait.</summary>
    public required int Queued { get; init; }

    /// <summary>Time in which none waited, in seconds; cumulative.</summary>
    public double EmptySeconds { get; init; }

    /// <summary>Items taken from the queue, cumulative.</summary>
    public long Taken { get; init; }

    /// <summary>For how long these waited there, all together, in seconds.</summary>
    public double WaitedSeconds { get; init; }

    /// <summary>How long the oldest item waits.</summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>Requests of the class that have begun and not ended, including requests that await; <see langword="null"/> where they are not
    /// counted.</summary>
    public int? Requests { get; init; }

    /// <summary>All root completions of the class, cumulative.</summary>
    public required long Completed { get; init; }

    /// <summary>The part of <see cref="Completed"/> that was added since the previous look.</summary>
    public long Ended { get; init; }

    /// <summary>Root completions of the pool's other root classes, cumulative.</summary>
    public long OthersCompleted { get; init; }

    /// <summary>Completions of work in flight, which continues items of this class and of the others; cumulative.</summary>
    public long InFlightCompleted { get; init; }

    /// <summary>Cumulative since the limit in force was adopted. Counts only items that started at that limit.</summary>
    public GenerationStatistics Generation { get; init; }

    /// <summary>
    /// Items in flight that began under another limit. Zero once the limit has been in force for as long as the pool waits for items that may never complete.
    /// </summary>
    public int Old { get; init; }

    /// <summary>Every item of the class in flight when the limit in force was adopted has completed.</summary>
    public bool Warm => Old == 0;

    /// <summary>How long each item in flight has been held; null where no look was taken. Valid until the next look.</summary>
    public ItemAges? Ages { get; init; }

    /// <summary>Age of the oldest running item of the class.</summary>
    public TimeSpan OldestItemAge { get; init; }

    /// <summary>Time-weighted 99th percentile of the service times, half-life 60 s; 0 when nothing is known.</summary>
    public double LongServiceSeconds { get; init; }

    /// <summary>Mean service time, half-life 60 s; 0 when nothing is known.</summary>
    public double MeanServiceSeconds { get; init; }

    /// <summary>Short items have just passed the long ones that hold most workers (<see cref="PassingRule"/>).</summary>
    public bool ShortPass { get; init; }

    /// <summary>1 - (CPU + run delay) / wall of the sampled busy workers; NaN when not known yet.</summary>
    public double BlockedShare { get; init; }

    /// <summary>Share of the busy workers that sleep, or wait for a task or for something else inside the process, 0 to 1. Their number burdens no
    /// server.</summary>
    public double SleepingShare { get; init; }

    /// <summary>Share of the busy workers that were seen to enter a wait for a task, or that declared their wait, 0 to 1. Part of
    /// <see cref="SleepingShare"/>.</summary>
    public double TaskWaitShare { get; init; }

    /// <summary>Share of the busy workers that have declared their wait, 0 to 1. Part of <see cref="TaskWaitShare"/>.</summary>
    public double DeclaredShare { get; init; }

    /// <summary>The class's share of the sampled worker CPU, 0 to 1; NaN when not known.</summary>
    public double CpuShare { get; init; }

    /// <summary>Cores the process may use, one or more. A quota or an affinity mask can change at any time.</summary>
    public required int Cores { get; init; }

    /// <summary>Size up to which steps are small, in threads.</summary>
    public int SmallSize => ClassSizeSettings.SmallSizeOf(Cores);

    /// <summary>Limit of CPU hogs, in threads.</summary>
    public int HogLimit => Cores + 1;

    /// <summary>Items that run or wait: more threads than this cannot be used.</summary>
    public int Demand => Active + Queued;

    /// <summary>Work waits only because the limit is reached.</summary>
    public bool LimitBound => Queued > 0 && Active >= Limit;

    /// <summary>Workers that wait in items that began at a time or before it.</summary>
    public int CountWaiting(TimeSpan begunBy)
    {
        if (Ages is null || begunBy == TimeSpan.MinValue)
        {
            return 0;
        }

        // A worker that does not wait visibly may compute. As many of these as the number of cores that the class keeps busy are taken to compute (rule R6).
        (int waiting, int elsewhere) = Ages.CountFrom((Now - begunBy - Grain).TotalSeconds);
        double blocked = double.IsNaN(BlockedShare) ? 0 : BlockedShare;
        int computing = elsewhere == 0 ? 0 : (int)Math.Ceiling(((1 - blocked) * Active) - Rounding);
        return Math.Min(Active, waiting + Math.Max(0, elsewhere - computing));
    }
}
