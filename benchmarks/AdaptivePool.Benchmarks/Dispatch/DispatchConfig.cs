using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>
/// Short runs inside one process, so that a comparison of both pools is done within a minute or two. Each invocation has some 10^5 items already: no pilot
/// runs.
/// </summary>
public sealed class DispatchConfig : ManualConfig
{
    private const int Invocations = 16;
    private const int Repetitions = 5;

    /// <summary>Creates it.</summary>
    public DispatchConfig() => AddJob(Job.ShortRun
        .WithToolchain(InProcessEmitToolchain.Instance)
        .WithInvocationCount(Invocations)
        .WithUnrollFactor(Invocations)
        .WithIterationCount(Repetitions));
}
