namespace AdaptivePool.Hosting.Gates;

/// <summary>What gates write to the application's log.</summary>
internal static partial class GateLog
{
    public static TransactionGate Follow(TransactionGate gate, ILogger logger)
    {
        gate.Stalled += (_, alarm) =>
        {
            var oldest = alarm.Leases.Count == 0 ? null : alarm.Leases[0];
            LogStalled(logger, gate.Name, alarm.Duration, alarm.Queued, alarm.Leases.Count, oldest?.Name ?? "(nameless)", oldest?.Age ?? TimeSpan.Zero);
        };

        // In monitor-only mode, each limit that would have been set is logged. Otherwise the limit changes many times a second, and metrics show it better.
        if (gate.GetSnapshot().Adaptive is { IsMonitorOnly: true })
        {
            gate.LimitChanged += (_, change) => LogWouldChange(logger, gate.Name, change.From, change.To, change.Reason, change.ThroughputPerSecond);
        }

        // Comes last: the gate reports earlier warnings at once.
        gate.Warned += (_, message) => LogWarning(logger, gate.Name, message);
        return gate;
    }

    [LoggerMessage(13, LogLevel.Warning, "Transaction gate '{Gate}': {Message}", EventName = "GateWarning")]
    private static partial void LogWarning(ILogger logger, string gate, string message);

    [LoggerMessage(
        12,
        LogLevel.Information,
        "Transaction gate '{Gate}' would have changed its limit from {From} to {To} ({Reason}; {PerSecond:F1} transactions per second).",
        EventName = "GateWouldChange")]
    private static partial void LogWouldChange(ILogger logger, string gate, int from, int to, Control.DecisionReason reason, double perSecond);

    [LoggerMessage(
        10,
        LogLevel.Warning,
        "Transaction gate '{Gate}' looks stalled: no transaction has ended for {Duration} while {Queued} wait; {Inside} are inside, "
            + "the oldest, '{Oldest}', for {Age}.",
        EventName = "GateStalled")]
    private static partial void LogStalled(ILogger logger, string gate, TimeSpan duration, int queued, int inside, string oldest, TimeSpan age);

    [LoggerMessage(11, LogLevel.Debug, "Transaction gate '{Gate}' refused '{Endpoint}': {Reason}.", EventName = "GateRefused")]
    public static partial void LogRefused(ILogger logger, string gate, string endpoint, RefusalReason reason);
}
