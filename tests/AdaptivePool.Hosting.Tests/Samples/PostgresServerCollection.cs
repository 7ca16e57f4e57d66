using Xunit;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>The tests that share one server; each has a database of its own.</summary>
[CollectionDefinition(Name)]
public sealed class PostgresServerCollection : ICollectionFixture<PostgresServer>
{
    public const string Name = "PostgreSQL";
}
