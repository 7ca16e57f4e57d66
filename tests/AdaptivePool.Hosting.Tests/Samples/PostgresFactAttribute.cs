using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>A test that needs a PostgreSQL server. Left out where it is not installed; in CI it fails there instead, in <see cref="PostgresServer"/>.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgresFactAttribute : FactAttribute
{
    public PostgresFactAttribute() => Skip = PostgresPrograms.MayBeMissing ? PostgresPrograms.Missing : null;
}
