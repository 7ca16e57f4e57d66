using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>CPU time of the server between two looks, and how much of it the just-in-time compiler took in the background.</summary>
public sealed class ServerCpu(ChildProcess server)
{
    private TimeSpan _all;
    private TimeSpan _compiler;

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("cpu-us-per-request", "us", Better.Lower),
        new("jit-us-per-request", "us", Better.Lower),
    ];

    /// <summary>Looks: at the begin, and at the end.</summary>
    public void Look() => (_all, _compiler) = (server.CpuTime - _all, server.CompilerTime - _compiler);

    /// <summary>CPU time between the two looks without the compiler's, in microseconds.</summary>
    public double OwnMicroseconds => (_all - _compiler).TotalMicroseconds;

    /// <summary>CPU time of the compiler in the background between the two looks, in microseconds.</summary>
    public double CompilerMicroseconds => _compiler.TotalMicroseconds;

    /// <summary>What a request cost.</summary>
    /// <param name="requests">How many there were.</param>
    public IEnumerable<MeasuredValue> PerRequest(long requests) =>
        requests > 0 ? [new("cpu-us-per-request", _all.TotalMicroseconds / requests), new("jit-us-per-request", _compiler.TotalMicroseconds / requests)] : [];
}
