using Xunit.Abstractions;

namespace AdaptivePool.Mutation.Running;

/// <summary>One case after the other, and each message told before the test goes on: what was reached belongs to the case that runs.</summary>
internal sealed class RunOptions : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
{
    private readonly Dictionary<string, object?> _values = new(StringComparer.Ordinal)
    {
        ["xunit.execution.DisableParallelization"] = true,
        ["xunit.execution.SynchronousMessageReporting"] = true,
        ["xunit.discovery.PreEnumerateTheories"] = true,
    };

    public TValue GetValue<TValue>(string name) => _values.TryGetValue(name, out object? value) ? (TValue)value! : default!;

    public void SetValue<TValue>(string name, TValue value) => _values[name] = value;
}
