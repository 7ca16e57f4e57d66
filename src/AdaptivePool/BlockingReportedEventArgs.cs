namespace AdaptivePool;

/// <summary>Tells that most workers are blocked while work waits.</summary>
public sealed class BlockingReportedEventArgs(BlockingReport report) : EventArgs
{
    /// <summary>Who blocks.</summary>
    public BlockingReport Report { get; } = report;
}
