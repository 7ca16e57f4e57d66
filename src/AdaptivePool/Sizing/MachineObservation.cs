namespace AdaptivePool.Sizing;

/// <summary>CPU use of the process and of the cores it may use, over a window of at least 30 ms (idle counters advance every 10 ms).</summary>
/// <param name="OwnCores">CPU of the own process, in cores, without that of its other pools.</param>
/// <param name="IdleCores">Idle CPU of the allowed cores, in cores; inside a quota, the unused part of the quota.</param>
/// <param name="Cores">Cores the process may use.</param>
/// <param name="Known">False until a window has passed, and where the platform provides no values.</param>
internal readonly record struct MachineObservation(double OwnCores, double IdleCores, double Cores, bool Known)
{
    /// <summary>The mean use over the last moments.</summary>
    public MachineUse Use { get; init; }

    /// <summary>Number of threads that keep the cores busy: a part of a core counts as one.</summary>
    public int WholeCores => Math.Max(1, (int)Math.Ceiling(Cores));

    /// <summary>Idle share of the allowed cores; NaN when not known.</summary>
    public double IdleShare => Known && Cores > 0 ? IdleCores / Cores : double.NaN;

    /// <summary>CPU that the class uses, in cores: the process's CPU times the class's share of sampled worker CPU (all of it when the share is not
    /// known).</summary>
    public double OwnCoresOf(in ClassObservation c) => OwnCores * (double.IsNaN(c.CpuShare) ? 1 : c.CpuShare);

    /// <summary>
    /// Own / (own + idle) of the class, 0 to 1; NaN when not known. Below the knee N / utilisation is the size that would use up the idle CPU. (Workers' CPU
    /// / cores has no fixed point beside a busy server on the same machine.)
    /// </summary>
    public double UtilisationOf(in ClassObservation c) => UtilisationOf(OwnCoresOf(c));

    /// <summary>The same for a given own use of the class, in cores.</summary>
    public double UtilisationOf(double ownCores)
    {
        if (!Known)
        {
            return double.NaN;
        }

        double own = Math.Max(0, ownCores);
        double sum = own + Math.Max(0, IdleCores);
        return sum > 0 ? own / sum : 1;
    }
}
