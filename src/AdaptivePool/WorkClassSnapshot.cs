using System.Collections.ObjectModel;

namespace AdaptivePool;

/// <summary>The state of one work class at one moment.</summary>
public sealed record WorkClassSnapshot
{
    /// <summary>The name of the class.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The number of items of the class that may run at once. It is less than what was decided for the class (<see cref="Control.ControllerTrace.To"/>) while
    /// classes share <see cref="PoolSnapshot.MaxThreads"/> or near the memory limit.
    /// </summary>
    public required int Limit { get; init; }

    /// <summary>
    /// The limit to which the class returns after each trial: the one that a measurement kept last, or one that is still to be measured, such as the first. 0
    /// before sizing has looked at the class.
    /// </summary>
    public required int Verified { get; init; }

    /// <summary>The number of items of the class that run now, including blocked ones.</summary>
    public required int Active { get; init; }

    /// <summary>The number of waiting items.</summary>
    public required long Queued { get; init; }

    /// <summary>The number of completed items.</summary>
    public required long Completed { get; init; }

    /// <summary>The highest limit that the class ever had.</summary>
    public required int PeakLimit { get; init; }

    /// <summary>
    /// What sizing does with the class at this moment. "Start": nothing yet. While the class grows: "Baseline" measures the size that it has, "Step" chooses
    /// the next one, "Trial" measures a size that is tried, "Rest" finds no step to take. Then: "Hold" compares sizes around the kept one, and "Hog" does so
    /// for work that hardly blocks. At any time: "Loan" lends threads because no item completes. "Fixed": the size never changes.
    /// "Oversubscribe": <see cref="AdaptivePoolOptions.Oversubscribe"/> says the size. With
    /// <see cref="Control.ControllerProfile.SeedWave"/>, the state of the controller.
    /// </summary>
    public required string State { get; init; }

    /// <summary>The <see cref="WorkClass.Weight"/> of the class; <see langword="null"/> for none.</summary>
    public int? Weight { get; init; }

    /// <summary>
    /// The CPU time that items of the class, including the code after their awaits, have used while the class had a weight. <see langword="null"/> for a class
    /// without a weight, whose CPU time is not counted.
    /// </summary>
    public TimeSpan? CpuTime { get; init; }

    /// <summary>
    /// The number of items that have waited longer than <see cref="AdaptivePoolOptions.PriorityKickUp"/> behind work of higher priority, and still wait. It is
    /// counted in classes that have used priorities.
    /// </summary>
    public int Starved { get; init; }

    /// <summary>
    /// The time that half of the items waited at most, by priority. Priorities that the class has not used have no entry. Zero means less than the time between
    /// two looks, which is some milliseconds. Older waits count less. Root work only.
    /// </summary>
    public IReadOnlyDictionary<WorkPriority, TimeSpan> MedianWait { get; init; } = ReadOnlyDictionary<WorkPriority, TimeSpan>.Empty;

    /// <summary>The time that 99 of 100 items waited at most, by priority, under the same rules as <see cref="MedianWait"/>.</summary>
    public IReadOnlyDictionary<WorkPriority, TimeSpan> LongWait { get; init; } = ReadOnlyDictionary<WorkPriority, TimeSpan>.Empty;

    /// <summary>
    /// The histogram behind <see cref="MedianWait"/> and <see cref="LongWait"/>, by priority. Each entry is the number of items that waited at most this time
    /// and longer than the time of the entry before, shortest first. The times are zero, and then steps of a fourth of an octave from 0.1 ms on, as far as
    /// items had such waits. A wait counts half after a minute, a single one no more after ten.
    /// </summary>
    public IReadOnlyDictionary<WorkPriority, IReadOnlyDictionary<TimeSpan, double>> WaitHistogram { get; init; } =
        ReadOnlyDictionary<WorkPriority, IReadOnlyDictionary<TimeSpan, double>>.Empty;

    /// <summary>
    /// Whether a worker that has run work with a route waits for more, because this increases the throughput: see <see cref="AdaptivePoolOptions.BatchWait"/>.
    /// </summary>
    public bool IsBatching { get; init; }

    /// <summary>
    /// Whether requests of the class may run as guests, that is, on the server's thread where they arrive; see <see cref="WorkClass.TryRunAsGuest"/>. Where
    /// they wait briefly, they run on workers at times all the same. <see cref="GuestRequests"/> counts guests, and <see cref="Completed"/> does not.
    /// </summary>
    public bool HasGuests { get; init; }

    /// <summary>The reason for the value of <see cref="HasGuests"/>, in words; empty before the first decision.</summary>
    public string GuestReason { get; init; } = "";

    /// <summary>The number of requests that started on the server's thread where they arrived, since the class was created.</summary>
    public long GuestRequests { get; init; }

    /// <summary>The number of items refused because the maximum number of items waited already (<see cref="WorkClass.MaxQueued"/>).</summary>
    public required long Refused { get; init; }

    /// <summary>
    /// The number of items that did not run because they waited too long (<see cref="WorkClass.MaxQueueTime"/>). <see cref="Completed"/> does not include them.
    /// </summary>
    public required long Expired { get; init; }
}
