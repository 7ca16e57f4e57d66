namespace AdaptivePool.Tests.Admission;

/// <summary>Time that passes only when told to.</summary>
internal sealed class ManualClock : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Called when somebody next asks for the time.</summary>
    public Action? Asked { get; set; }

    public override long GetTimestamp()
    {
        Action? asked = Asked;
        Asked = null;
        asked?.Invoke();
        return Volatile.Read(ref _ticks);
    }

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}
