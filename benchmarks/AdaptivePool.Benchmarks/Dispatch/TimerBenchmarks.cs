using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>Asynchronous functions that await a timer of a millisecond each, many at a time: the timer's thread brings what follows to the pool.</summary>
public class TimerBenchmarks : DispatchBenchmarkBase
{
    private const int Timers = 1 << 12;

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Timers)]
    public void Runtime() => Task.WaitAll([.. Enumerable.Range(0, Timers).Select(static _ => Task.Run(DelayAsync))]);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Timers)]
    public void Adaptive() => Task.WaitAll([.. Enumerable.Range(0, Timers).Select(_ => Pool.Run(DelayAsync))]);

    private static async Task DelayAsync() => await Task.Delay(1);
}
