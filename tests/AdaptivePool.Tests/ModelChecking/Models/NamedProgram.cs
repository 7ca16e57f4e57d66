namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A program of the suite.</summary>
/// <param name="Name">What it shows.</param>
/// <param name="Create">Makes it afresh for each run.</param>
/// <param name="Bounds">How far the default run goes.</param>
internal sealed record NamedProgram(string Name, Func<ModelProgram> Create, Bounds Bounds)
{
    /// <summary>Whether it is right only where each read sees the newest write: what it shows is told without order, and repaired later.</summary>
    public bool IsSequential { get; init; }

    public override string ToString() => Name;
}
