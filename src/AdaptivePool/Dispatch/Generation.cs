namespace AdaptivePool.Dispatch;

/// <summary>
/// Statistics of the items of one class that started under one limit. A new limit brings a new object, so nothing is reset while workers use it: late
/// completions of an old generation are added to an object that is no longer read.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="since">When that limit was put in force, in seconds on sizing's clock; from the start on by default.</param>
internal sealed class Generation<TSync>(double since = double.NegativeInfinity)
    where TSync : struct, ISync
{
    private long _completed;
    private long _timed;
    private long _serviceMicroseconds;
    private long _serviceSquaredBits;

    public double Since { get; } = since;

    public long Completed => TSync.RelaxedRead(ref _completed);

    public long Timed => TSync.RelaxedRead(ref _timed);

    public double ServiceSeconds => TSync.RelaxedRead(ref _serviceMicroseconds) * 1e-6;

    public double ServiceSecondsSquared => BitConverter.Int64BitsToDouble(TSync.RelaxedRead(ref _serviceSquaredBits));

    // Statistics only: no other memory depends on the order of these additions; they only must not be lost.
    public void AddCompleted(long count) => TSync.Add(ref _completed, count);

    public void AddTimed(double seconds)
    {
        TSync.Add(ref _timed, 1);
        TSync.Add(ref _serviceMicroseconds, (long)(seconds * 1e6));
        long seen;
        long before = TSync.RelaxedRead(ref _serviceSquaredBits);
        do
        {
            // Pairs with itself: of several adders each adds to what the one before it left. There is no atomic addition of doubles.
            seen = before;
            double sum = BitConverter.Int64BitsToDouble(seen) + (seconds * seconds);
            before = TSync.CompareExchange(ref _serviceSquaredBits, BitConverter.DoubleToInt64Bits(sum), seen);
        }
        while (before != seen);
    }
}
