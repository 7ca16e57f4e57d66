using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary><see cref="PostgresFactAttribute"/> for several rows of data.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgresTheoryAttribute : TheoryAttribute
{
    public PostgresTheoryAttribute() => Skip = PostgresPrograms.MayBeMissing ? PostgresPrograms.Missing : null;
}
