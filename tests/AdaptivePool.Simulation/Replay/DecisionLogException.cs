namespace AdaptivePool.Simulation.Replay;

/// <summary>A decision log cannot be read.</summary>
internal sealed class DecisionLogException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="line">Number of the line, from 1.</param>
    /// <param name="problem">What is wrong with it.</param>
    /// <param name="inner">What found it; may be null.</param>
    public DecisionLogException(int line, string problem, Exception? inner = null)
        : base($"line {line}: {problem}", inner)
        => Line = line;

    /// <summary>Number of the line, from 1.</summary>
    public int Line { get; }
}
