namespace AdaptivePool.Simulation.Curves;

/// <summary>Resources that nobody has chosen, for items that wait. Always the same for a seed.</summary>
public static class RandomResources
{
    /// <summary>Most CPU for an item, in seconds.</summary>
    public const double MostCpu = 2e-3;

    // Of who sleeps: the knee is at this many threads per core at least, or it would compute.
    private const int LeastPerCore = 4;

    private const double MostChannels = 200;
    private const double LeastChannel = 0.5e-3;
    private const double MostChannel = 0.1;
    private const double LeastFall = 0.2;
    private const double MostFall = 1.5;

    /// <summary>Items that wait for a time, or for a lock of the process.</summary>
    public static EmulatedResources Sleeping(int seed)
    {
        var draw = new RandomDraw(seed);
        double cpu = draw.Ratio(RandomBurner.LeastCpu, MostCpu);
        int cores = draw.Cores();
        double perCore = draw.Ratio(LeastPerCore, RandomCurve.LargestTop / cores);
        bool isCramped = draw.OneIn(4);
        return new()
        {
            Cores = cores,
            CpuSeconds = cpu,
            DelaySeconds = cpu * (perCore - 1),
            LockSeconds = draw.OneIn(3) ? cpu / cores * draw.Ratio(0.1, 3) : 0,
            PenaltyPerThread = Penalty(draw),
            MemoryThreads = isCramped ? (int)Math.Ceiling(cores * perCore * draw.Ratio(0.5, 4)) : 0,
            MemoryExponent = draw.Between(LeastFall, MostFall),
        };
    }

    /// <summary>Items that wait for a server with a number of channels.</summary>
    public static EmulatedResources Serving(int seed)
    {
        var draw = new RandomDraw(seed);
        double cpu = draw.Ratio(RandomBurner.LeastCpu, MostCpu);
        int cores = draw.Cores();
        double channels = Math.Round(draw.Ratio(1, MostChannels));
        bool isCramped = draw.OneIn(2);
        return new()
        {
            Cores = cores,
            CpuSeconds = cpu,
            Channels = channels,
            ChannelSeconds = draw.Ratio(LeastChannel, MostChannel),
            LockSeconds = draw.OneIn(3) ? cpu / cores * draw.Ratio(0.1, 3) : 0,
            PenaltyPerThread = Penalty(draw),
            MemoryThreads = isCramped ? (int)Math.Ceiling((cores + channels) * draw.Ratio(0.5, 8)) : 0,
            MemoryExponent = draw.Between(LeastFall, MostFall),
        };
    }

    private static double Penalty(RandomDraw draw) => draw.OneIn(3) ? 0 : draw.Ratio(RandomBurner.LeastPenalty, RandomBurner.MostPenalty);
}
