using AdaptivePool.Admission;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Gates;

/// <summary>What gates tell the application's log.</summary>
internal static partial class GateLog
{
    public static void Follow(TransactionGate gate, ILogger logger) => gate.Stalled += (_, alarm) =>
    {
        var oldest = alarm.Leases.Count == 0 ? null : alarm.Leases[0];
        LogStalled(logger, gate.Name, alarm.Duration, alarm.Queued, alarm.Leases.Count, oldest?.Name ?? "(nameless)", oldest?.Age ?? TimeSpan.Zero);
    };

    [LoggerMessage(10, LogLevel.Warning, "Transaction gate '{Gate}' looks stalled: no transaction has ended for {Duration} while {Queued} wait; {Inside} are inside, the oldest, '{Oldest}', for {Age}.", EventName = "GateStalled")]
    private static partial void LogStalled(ILogger logger, string gate, TimeSpan duration, int queued, int inside, string oldest, TimeSpan age);

    [LoggerMessage(11, LogLevel.Debug, "Transaction gate '{Gate}' refused '{Endpoint}': {Reason}.", EventName = "GateRefused")]
    public static partial void LogRefused(ILogger logger, string gate, string endpoint, RefusalReason reason);
}
