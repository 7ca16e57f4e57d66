namespace AdaptivePool.Tests.Contracts.Programs;

/// <summary>What a leaf throws.</summary>
internal sealed class ProgramException(int number) : Exception($"leaf {number}")
{
    public int Number => number;
}
