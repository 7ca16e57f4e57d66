namespace AdaptivePool.Sensing;

/// <summary>What a thread has used of the CPU up to a moment; two of them tell what it did in between. All in seconds.</summary>
/// <param name="At">The moment.</param>
/// <param name="Cpu">CPU time of the thread.</param>
/// <param name="Collected">For how long the collector has stopped the process.</param>
internal readonly record struct ThreadTime(double At, double Cpu, double Collected)
{
    /// <summary>Nothing was read: what is compared with it is not known.</summary>
    public static ThreadTime None => new(double.NaN, double.NaN, 0);

    /// <summary>Time since, in which the thread could run or wait for something: not that of collections.</summary>
    public double Since(in ThreadTime before) => At - before.At - (Collected - before.Collected);
}
