namespace AdaptivePool;

/// <summary>State of one work class at one moment.</summary>
public sealed record WorkClassSnapshot
{
    /// <summary>Name of the class.</summary>
    public required string Name { get; init; }

    /// <summary>Items of the class that may run at once.</summary>
    public required int Limit { get; init; }

    /// <summary>Highest limit that a measurement has verified; 0 before the first.</summary>
    public required int Verified { get; init; }

    /// <summary>Items of the class that run now, blocked ones included.</summary>
    public required int Active { get; init; }

    /// <summary>Items waiting.</summary>
    public required long Queued { get; init; }

    /// <summary>Items completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Highest limit ever in force.</summary>
    public required int PeakLimit { get; init; }

    /// <summary>What sizing does with the class at the moment, in words.</summary>
    public required string State { get; init; }

    /// <summary>Its <see cref="WorkClass.Weight"/>; <see langword="null"/> for none.</summary>
    public int? Weight { get; init; }

    /// <summary>
    /// CPU time that its items have used since it has a weight, what follows their awaits included; <see langword="null"/> for a class without a weight, whose
    /// CPU is not counted.
    /// </summary>
    public TimeSpan? CpuTime { get; init; }

    /// <summary>
    /// Items that have waited longer than <see cref="AdaptivePoolOptions.PriorityKickUp"/> behind work of higher priority, and still wait. Counted in
    /// classes that have used priorities.
    /// </summary>
    public int Starved { get; init; }

    /// <summary>
    /// The time that half of its items waited at most, by priority; nothing of priorities that it has not used. Zero for less than the time between two looks,
    /// which is some milliseconds. Older waits count less. Root work only.
    /// </summary>
    public IReadOnlyDictionary<WorkPriority, TimeSpan> MedianWait { get; init; } = new Dictionary<WorkPriority, TimeSpan>();

    /// <summary>The same for 99 of 100 items.</summary>
    public IReadOnlyDictionary<WorkPriority, TimeSpan> LongWait { get; init; } = new Dictionary<WorkPriority, TimeSpan>();

    /// <summary>
    /// The histogram behind <see cref="MedianWait"/> and <see cref="LongWait"/>, by priority: how many items waited so long at most and longer than the time
    /// before it, the shortest first. Zero, then steps of a fourth of an octave from 0.1 ms on, as far as items had such waits. A wait counts half after a
    /// minute.
    /// </summary>
    public IReadOnlyDictionary<WorkPriority, IReadOnlyDictionary<TimeSpan, double>> WaitHistogram { get; init; } =
        new Dictionary<WorkPriority, IReadOnlyDictionary<TimeSpan, double>>();

    /// <summary>
    /// Whether a worker that has run work with a route waits for more, because that pays: see <see cref="AdaptivePoolOptions.BatchWait"/>.
    /// </summary>
    public bool IsBatching { get; init; }

    /// <summary>
    /// Whether its requests run where the server put them; see <see cref="WorkClass.TryRunAsGuest"/>. They are counted by <see cref="GuestRequests"/>, not
    /// by <see cref="Completed"/>.
    /// </summary>
    public bool HasGuests { get; init; }

    /// <summary>Why <see cref="HasGuests"/> is as it is, in words; empty while nothing was decided.</summary>
    public string GuestReason { get; init; } = "";

    /// <summary>Requests that began where the server put them, since the class was created.</summary>
    public long GuestRequests { get; init; }

    /// <summary>Items refused because as many waited as may wait (<see cref="WorkClass.MaxQueued"/>).</summary>
    public required long Refused { get; init; }

    /// <summary>Items not run because they waited too long (<see cref="WorkClass.MaxQueueTime"/>). They are not among <see cref="Completed"/>.</summary>
    public required long Expired { get; init; }
}
