namespace AdaptivePool.Sensing;

/// <summary>What a thread has used of the CPU up to a moment; two readings show what it did in between. All in seconds.</summary>
/// <param name="At">The moment.</param>
/// <param name="Cpu">CPU time of the thread.</param>
/// <param name="Collected">For how long the collector has stopped the process.</param>
internal readonly record struct ThreadTime(double At, double Cpu, double Collected)
{
    /// <summary>No reading: a comparison with it says nothing.</summary>
    public static ThreadTime None => new(double.NaN, double.NaN, 0);

    /// <summary>Time since then in which the thread could run or wait for something, without that of collections.</summary>
    public double Since(in ThreadTime before) => At - before.At - (Collected - before.Collected);
}
