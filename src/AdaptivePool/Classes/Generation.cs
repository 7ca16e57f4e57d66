namespace AdaptivePool.Classes;

/// <summary>
/// Statistics of the items of one class that started under one limit. A new limit brings a new object, so nothing is ever reset under the workers' hands: late completions of
/// an old generation are added to an object that nobody reads any more.
/// </summary>
internal sealed class Generation(int limit)
{
    private long _completed;
    private long _timed;
    private long _serviceMicroseconds;
    private double _serviceSecondsSquared;

    public int Limit { get; } = limit;

    public long Completed => Volatile.Read(ref _completed);

    public long Timed => Volatile.Read(ref _timed);

    public double ServiceSeconds => Volatile.Read(ref _serviceMicroseconds) * 1e-6;

    public double ServiceSecondsSquared => Volatile.Read(ref _serviceSecondsSquared);

    // Statistics only: no other memory depends on the order of these additions, they just must not be lost.
    public void AddCompleted(long count) => Interlocked.Add(ref _completed, count);

    public void AddTimed(double seconds)
    {
        Interlocked.Increment(ref _timed);
        Interlocked.Add(ref _serviceMicroseconds, (long)(seconds * 1e6));
        double seen = Volatile.Read(ref _serviceSecondsSquared);
        while (true)
        {
            double before = Interlocked.CompareExchange(ref _serviceSecondsSquared, seen + (seconds * seconds), seen);
            if (before.Equals(seen))
            {
                return;
            }

            seen = before;
        }
    }
}
