namespace AdaptivePool.Hosting.Tests.Data.Conformance;

/// <summary>One thing that ADO.NET says of a provider, as a program whose notes are compared: the provider bare against the provider behind a gate.</summary>
/// <param name="Name">Name, as the document has it where it differs.</param>
/// <param name="Run">The program.</param>
internal sealed record ConformanceCase(string Name, Func<ConformanceBench, Task> Run)
{
    /// <summary>Cases for every provider.</summary>
    public static IReadOnlyList<ConformanceCase> Common { get; } =
        [.. ConnectionCases.All, .. CommandCases.All, .. ReaderCases.All, .. TransactionCases.All, .. BatchCases.All, .. SourceCases.All, .. FactoryCases.All,
            .. DapperCases.All];

    /// <summary>Those for Npgsql.</summary>
    public static IReadOnlyList<ConformanceCase> Postgres { get; } = [.. Common, .. NpgsqlCases.All];
}
