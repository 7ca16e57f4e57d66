using BenchmarkDotNet.Attributes;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>A thread outside the pool starts tasks and waits for all of them.</summary>
public class StartNewBenchmarks : DispatchBenchmarkBase
{
    private static readonly Action s_nothing = static () => { };
    private readonly Task[] _tasks = new Task[Items];

    /// <summary>The runtime's pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void Runtime() => StartAll(Task.Factory);

    /// <summary>Our pool.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void Adaptive() => StartAll(Pool.Factory);

    private void StartAll(TaskFactory factory)
    {
        for (int i = 0; i < _tasks.Length; i++)
        {
            _tasks[i] = factory.StartNew(s_nothing);
        }

        Task.WaitAll(_tasks);
    }
}
