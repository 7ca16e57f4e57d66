using System.Diagnostics;
using System.Numerics;

namespace AdaptivePool.Scenarios.Load;

/// <summary>Counts durations in buckets that are at most 1/32 wide; safe to use from many threads.</summary>
public sealed class LatencyHistogram
{
    private const int SubBits = 5;
    private const int SubCount = 1 << SubBits;
    private readonly long[] _counts = new long[(64 - SubBits + 1) * SubCount];

    /// <summary>Adds a duration in <see cref="Stopwatch"/> ticks.</summary>
    public void Add(long ticks) => Interlocked.Increment(ref _counts[Index((ulong)Math.Max(0, ticks))]);

    /// <summary>Forgets everything.</summary>
    public void Clear() => Array.Clear(_counts);

    /// <summary>The quantile in milliseconds; NaN without values.</summary>
    public double Milliseconds(double quantile)
    {
        long total = _counts.Sum();
        long wanted = Math.Max(1, (long)Math.Ceiling(total * quantile));
        long seen = 0;
        for (int i = 0; i < _counts.Length && total > 0; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return Middle(i) * 1_000.0 / Stopwatch.Frequency;
            }
        }

        return double.NaN;
    }

    private static int Index(ulong value)
    {
        int shift = Math.Max(0, BitOperations.Log2(value | 1) - SubBits);
        return (shift << SubBits) + (int)(value >> shift);
    }

    /// <summary>The middle of a bucket: values under 2 x 32 have a bucket each, above every doubling has 32.</summary>
    private static double Middle(int index)
    {
        int shift = Math.Max(0, (index >> SubBits) - 1);
        double low = (double)(index - (shift << SubBits)) * Math.Pow(2, shift);
        return low + ((Math.Pow(2, shift) - 1) / 2);
    }
}
