namespace AdaptivePool.Diagnostics;

/// <summary>Takes the steps of controllers. Called on the thread that steers: implementations return at once and never throw.</summary>
internal interface IDecisionSink
{
    /// <summary>Takes one entry.</summary>
    /// <param name="entry">What happened.</param>
    void Write(DecisionLogEntry entry);
}
