using System.Numerics;

namespace AdaptivePool.SeedWave;

/// <summary>
/// Compares the first harmonic of the sizes with the first harmonic of the throughputs (seed 000, "Signal Processing"). The seed writes the ratio as size
/// over throughput. The inverse is used here, because it is a slope and has the same sign.
/// </summary>
internal static class WaveAnalysis
{
    /// <summary>Reads a window of whole periods.</summary>
    /// <param name="sizes">Size of each sample, in threads, oldest first.</param>
    /// <param name="throughputs">Throughput of each sample, in completions per second, oldest first; one for each size.</param>
    /// <param name="period">Samples in one period; the window is a whole number of them.</param>
    /// <exception cref="ArgumentException">The windows differ in length, are empty or are not whole periods.</exception>
    public static WaveReading Read(ReadOnlySpan<double> sizes, ReadOnlySpan<double> throughputs, int period)
    {
        if (sizes.Length != throughputs.Length || sizes.Length == 0 || period < 2 || sizes.Length % period != 0)
        {
            throw new ArgumentException($"{sizes.Length} sizes and {throughputs.Length} throughputs are not the same whole number of periods of {period}.",
                nameof(sizes));
        }

        Complex size = Harmonic(sizes, period);
        double meanSize = Mean(sizes);
        double meanThroughput = Mean(throughputs);

        // In a window in which the size did not move the harmonic consists of rounding errors only.
        if (size.Magnitude <= 1e-9 * meanSize * sizes.Length)
        {
            return new(double.NaN, double.NaN, meanSize, meanThroughput);
        }

        Complex ratio = Harmonic(throughputs, period) / size;
        return new(ratio.Real, ratio.Imaginary, meanSize, meanThroughput);
    }

    /// <summary>Returns the component of a signal that repeats once per period: sum of x[k] exp(-2 pi i k / period), by Goertzel's recurrence.</summary>
    /// <param name="signal">The samples, oldest first.</param>
    /// <param name="period">Samples in one period; 2 or more.</param>
    public static Complex Harmonic(ReadOnlySpan<double> signal, int period)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(period, 2);
        double angle = 2 * Math.PI / period;
        double coefficient = 2 * Math.Cos(angle);
        double last = 0;
        double beforeLast = 0;
        foreach (double x in signal)
        {
            (last, beforeLast) = (x + (coefficient * last) - beforeLast, last);
        }

        // The recurrence ends at the phase of the last sample. The rotation brings it back to that of the first.
        return ((last - (beforeLast * Complex.FromPolarCoordinates(1, -angle))) * Complex.FromPolarCoordinates(1, -angle * (signal.Length - 1)));
    }

    private static double Mean(ReadOnlySpan<double> values)
    {
        double sum = 0;
        foreach (double value in values)
        {
            sum += value;
        }

        return sum / values.Length;
    }
}
