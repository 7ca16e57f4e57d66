namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Work that computes from the beginning until it is disposed.</summary>
public interface IBackground : IDisposable
{
    /// <summary>CPU time so far, in nanoseconds.</summary>
    long Used { get; }

    /// <summary>Whether that is part of what this process uses.</summary>
    bool IsOfThisProcess { get; }
}
