namespace AdaptivePool.Admission;

/// <summary>The time of a gate, from its creation on.</summary>
/// <param name="exact">The clock for waits, which must end on time.</param>
/// <param name="coarse">The clock for the age of transactions. Every lease reads it, and exact time costs as much as a lock.</param>
internal sealed class GateClock(TimeProvider exact, TimeProvider coarse)
{
    private readonly long _createdAt = exact.GetTimestamp();

    // What TimeProvider.GetElapsedTime calculates each time.
    private readonly double _ticksPerStep = (double)TimeSpan.TicksPerSecond / exact.TimestampFrequency;

    public TimeSpan Now => new((long)((exact.GetTimestamp() - _createdAt) * _ticksPerStep));

    /// <summary>A stamp of the coarse clock.</summary>
    public long Coarse => coarse.GetTimestamp();

    /// <summary>Time since a stamp of the coarse clock.</summary>
    public TimeSpan AgeOf(long stamp) => coarse.GetElapsedTime(stamp);
}
