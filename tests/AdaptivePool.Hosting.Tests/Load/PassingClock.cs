namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>A clock that stands still where it was put.</summary>
internal sealed class PassingClock : TimeProvider
{
    private long _ticks;

    public TimeSpan Passed
    {
        get => TimeSpan.FromTicks(Interlocked.Read(ref _ticks));
        set => Interlocked.Exchange(ref _ticks, value.Ticks);
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);
}
