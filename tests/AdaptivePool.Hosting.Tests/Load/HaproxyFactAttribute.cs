using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>A test that needs HAProxy. Left out where it is not installed; in CI it fails there instead.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class HaproxyFactAttribute : FactAttribute
{
    public HaproxyFactAttribute() => Skip = HaproxyProgram.WhySkipped;
}
