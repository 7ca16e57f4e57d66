using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Parallel.For with a small body; what is measured is how soon the partitions start, and how they end.</summary>
public class ParallelForBenchmarks : DispatchBenchmarkBase
{
    private const int Loops = 1 << 8;
    private const int Turns = Items / Loops;
    private readonly int[] _values = new int[Turns];

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => Loop(new ParallelOptions { TaskScheduler = TaskScheduler.Default });

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => Loop(new ParallelOptions { TaskScheduler = Pool.Scheduler });

    private void Loop(ParallelOptions options)
    {
        for (int i = 0; i < Loops; i++)
        {
            Parallel.For(0, Turns, options, turn => _values[turn]++);
        }
    }
}
