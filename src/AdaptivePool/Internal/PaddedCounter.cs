namespace AdaptivePool.Internal;

/// <summary>A shared counter on cache lines of its own. A statistic: additions are never lost, and no other memory depends on their order.</summary>
internal sealed class PaddedCounter
{
    private PaddedLong _value;

    public long Value => Volatile.Read(ref _value.Value);

    public long Add(long count) => Interlocked.Add(ref _value.Value, count);
}
