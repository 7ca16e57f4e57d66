using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>
/// Resources whose throughput is known from queueing theory: cores, I/O channels, a lock, a plain delay, and a memory that overflows. Mean value analysis of
/// the closed network (Reiser and Lavenberg 1980), a station of c servers and demand D taken as one server of D / c and a delay of D (c - 1) / c (Seidmann and
/// others 1987).
/// </summary>
public sealed record EmulatedResources : IRandomWork
{
    /// <summary>Cores.</summary>
    public required double Cores { get; init; }

    /// <summary>CPU per item, in seconds.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>I/O channels; zero without I/O.</summary>
    public double Channels { get; init; }

    /// <summary>Time of one item on a channel, in seconds.</summary>
    public double ChannelSeconds { get; init; }

    /// <summary>Time of one item in the critical section, in seconds.</summary>
    public double LockSeconds { get; init; }

    /// <summary>Time of one item that waits for nobody, in seconds.</summary>
    public double DelaySeconds { get; init; }

    /// <summary>Share by which every thread slows all down: throughput is divided by 1 + this x threads.</summary>
    public double PenaltyPerThread { get; init; }

    /// <summary>Threads that fit into memory; beyond them throughput falls. Zero: all fit.</summary>
    public int MemoryThreads { get; init; }

    /// <summary>How steep the cliff is: throughput is multiplied by (<see cref="MemoryThreads"/> / threads) to this power.</summary>
    public double MemoryExponent { get; init; } = 1.5;

    /// <summary>Throughput, and threads that hold or wait for a core, for 1 to <paramref name="largest"/> threads; index zero is empty.</summary>
    /// <param name="largest">Most threads.</param>
    public (double[] Throughput, double[] Runnable) Solve(int largest)
    {
        double[] demands = [CpuSeconds / Cores, Channels > 0 ? ChannelSeconds / Channels : 0, LockSeconds];
        double cpuDelay = CpuSeconds * (Cores - 1) / Cores;
        double delay = DelaySeconds + cpuDelay + (Channels > 0 ? ChannelSeconds * (Channels - 1) / Channels : 0);
        double[] queues = new double[demands.Length];
        double[] residences = new double[demands.Length];
        double[] throughput = new double[largest + 1];
        double[] runnable = new double[largest + 1];
        for (int n = 1; n <= largest; n++)
        {
            double round = delay;
            for (int i = 0; i < demands.Length; i++)
            {
                residences[i] = demands[i] * (1 + queues[i]);
                round += residences[i];
            }

            double rate = n / round;
            for (int i = 0; i < demands.Length; i++)
            {
                queues[i] = rate * residences[i];
            }

            throughput[n] = rate / (1 + (PenaltyPerThread * n)) * Fits(n);
            runnable[n] = queues[0] + (rate * cpuDelay);
        }

        return (throughput, runnable);
    }

    /// <inheritdoc/>
    public CostCurve ToCurve(string? name = null) => CostCurve.Emulated(name ?? ToString(), this);

    /// <inheritdoc/>
    public override string ToString()
    {
        string channels = Channels > 0 ? FormattableString.Invariant($", {Channels:0} channels x {1000 * ChannelSeconds:0.###} ms") : "";
        string delay = DelaySeconds > 0 ? FormattableString.Invariant($", waits {1000 * DelaySeconds:0.###} ms") : "";
        string critical = LockSeconds > 0 ? FormattableString.Invariant($", lock {1000 * LockSeconds:0.####} ms") : "";
        string penalty = PenaltyPerThread > 0 ? FormattableString.Invariant($", {100 * PenaltyPerThread:0.####} % a thread") : "";
        string memory = MemoryThreads > 0 ? FormattableString.Invariant($", memory for {MemoryThreads}, fall {MemoryExponent:0.00}") : "";
        return FormattableString.Invariant($"{Cores:0} cores x {1000 * CpuSeconds:0.###} ms") + channels + delay + critical + penalty + memory;
    }

    private double Fits(int threads) => MemoryThreads == 0 || threads <= MemoryThreads ? 1 : Math.Pow((double)MemoryThreads / threads, MemoryExponent);
}
