namespace AdaptivePool.Admission;

/// <summary>The time of a gate, from its creation on.</summary>
/// <param name="exact">For waits, whose ends must be kept.</param>
/// <param name="coarse">For the age of transactions, which every lease asks for: exact time costs as much as a lock.</param>
internal sealed class GateClock(TimeProvider exact, TimeProvider coarse)
{
    private readonly long _createdAt = exact.GetTimestamp();

    // What TimeProvider.GetElapsedTime works out anew each time.
    private readonly double _ticksPerStep = (double)TimeSpan.TicksPerSecond / exact.TimestampFrequency;

    public TimeSpan Now => new((long)((exact.GetTimestamp() - _createdAt) * _ticksPerStep));

    /// <summary>A stamp of the coarse clock.</summary>
    public long Coarse => coarse.GetTimestamp();

    /// <summary>Time since a stamp of the coarse clock.</summary>
    public TimeSpan AgeOf(long stamp) => coarse.GetElapsedTime(stamp);
}
