namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>A way to run parts of a program.</summary>
/// <param name="Name">What it does.</param>
/// <param name="HasMany">Whether it runs several children, or one.</param>
/// <param name="Blocks">Whether it holds its thread while its children need others.</param>
/// <param name="Run">Does it.</param>
internal sealed record ProgramPart(string Name, bool HasMany, bool Blocks, Func<ProgramHost, RandomProgram, Task<int>> Run)
{
    /// <summary>Whether code of it runs on a thread that is not the pool's: what that brings to a pool that is closed is refused.</summary>
    public bool Leaves { get; init; }
}
