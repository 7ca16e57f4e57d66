namespace AdaptivePool.Yarp.Tests;

/// <summary>How a <see cref="BreakingServer"/> fails.</summary>
public enum Break
{
    /// <summary>The connection is reset as soon as a request has come.</summary>
    Resets,

    /// <summary>The answer is none of HTTP.</summary>
    AnswersSomethingElse,

    /// <summary>The connection is reset in the middle of the content.</summary>
    ResetsInTheContent,
}
